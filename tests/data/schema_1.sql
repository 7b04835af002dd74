-- A store of schema 1, as the code of that time wrote it over the notes of test_damage.py; ROOT is their folder.
PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE root (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, label TEXT NOT NULL UNIQUE);
CREATE TABLE file (
            id INTEGER PRIMARY KEY,
            root_id INTEGER NOT NULL REFERENCES root (id) ON DELETE CASCADE,
            raw_path BLOB NOT NULL,
            path TEXT NOT NULL UNIQUE,
            size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
            observed_hash TEXT, observed_at REAL NOT NULL,
            rows_hash TEXT, rows_at REAL,
            write_status TEXT NOT NULL CHECK (write_status IN ('settled', 'writing', 'failed')),
            error_code TEXT, error_message TEXT,
            reader TEXT, chunker TEXT, lexical_identity TEXT,
            UNIQUE (root_id, raw_path)
        );
CREATE TABLE skipped (
            root_id INTEGER NOT NULL REFERENCES root (id) ON DELETE CASCADE,
            path TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL
        );
CREATE TABLE document (
            id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
            format TEXT NOT NULL, title TEXT NOT NULL, title_source TEXT NOT NULL,
            date TEXT, dated_at REAL NOT NULL,
            metadata TEXT NOT NULL, warnings TEXT NOT NULL
        );
CREATE INDEX document_by_title ON document (title COLLATE NOCASE);
CREATE INDEX document_by_date ON document (dated_at);
CREATE TABLE row (
            id INTEGER PRIMARY KEY,
            document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            kind TEXT NOT NULL, ordinal INTEGER NOT NULL, key TEXT NOT NULL, text_hash TEXT NOT NULL,
            char_start INTEGER NOT NULL, char_end INTEGER NOT NULL,
            line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
            category TEXT, target TEXT, context TEXT,
            UNIQUE (document_id, kind, ordinal)
        );
CREATE TABLE tag (
            document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            row_id INTEGER REFERENCES row (id) ON DELETE CASCADE,  -- absent: the whole document's
            folded TEXT NOT NULL, tag TEXT NOT NULL
        );
CREATE INDEX tag_by_name ON tag (folded);
CREATE INDEX tag_by_document ON tag (document_id);
CREATE INDEX tag_by_row ON tag (row_id);
CREATE TABLE link (
            id INTEGER PRIMARY KEY,
            document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            route TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL, label TEXT, context TEXT,
            line INTEGER NOT NULL
        );
CREATE INDEX link_by_document ON link (document_id);
CREATE TABLE chunk (
            id INTEGER PRIMARY KEY,  -- never used twice: meta.last_chunk_id counts up
            document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            row_id INTEGER NOT NULL REFERENCES row (id) ON DELETE CASCADE,
            key TEXT NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL,
            char_start INTEGER NOT NULL, char_end INTEGER NOT NULL,
            line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
            text TEXT NOT NULL, headings TEXT NOT NULL, breadcrumb TEXT NOT NULL, token_count INTEGER NOT NULL,
            embedded_hash BLOB NOT NULL,
            lexical_length REAL NOT NULL,
            lexical_status TEXT NOT NULL CHECK (lexical_status IN ('pending', 'ready')),
            embedding_status TEXT NOT NULL CHECK (embedding_status IN ('pending', 'ready')),
            vector_slot INTEGER,
            updated_at REAL NOT NULL,
            UNIQUE (document_id, key)
        );
CREATE INDEX chunk_by_row ON chunk (row_id);
CREATE INDEX chunk_by_kind ON chunk (kind);
CREATE INDEX chunk_pending ON chunk (id) WHERE embedding_status = 'pending';
CREATE INDEX chunk_by_embedded_hash ON chunk (embedded_hash);
CREATE TABLE embedding_identity (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, details TEXT NOT NULL,
            last_slot INTEGER NOT NULL DEFAULT -1
        );
CREATE TABLE vector (
            identity_id INTEGER NOT NULL REFERENCES embedding_identity (id) ON DELETE CASCADE,
            embedded_hash BLOB NOT NULL, slot INTEGER NOT NULL,
            PRIMARY KEY (identity_id, embedded_hash)
        ) WITHOUT ROWID;
CREATE TABLE slab (
            id INTEGER PRIMARY KEY,
            identity_id INTEGER NOT NULL REFERENCES embedding_identity (id) ON DELETE CASCADE,
            number INTEGER NOT NULL, floats BLOB NOT NULL,
            UNIQUE (identity_id, number)
        );
CREATE TABLE outbox (
            id INTEGER PRIMARY KEY, index_name TEXT NOT NULL,
            operation TEXT NOT NULL CHECK (operation IN ('upsert', 'delete')),
            chunk_id INTEGER NOT NULL, created_at REAL NOT NULL
        );
CREATE TABLE word (term TEXT PRIMARY KEY, surface TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE posting USING fts5 (
            title, headings, body, tags, parts,
            content = '', contentless_delete = 1,
            -- Terms come from the analyser, space between them: every other ASCII character belongs to a term.
            tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
        );
CREATE VIRTUAL TABLE posting_instance USING fts5vocab (posting, instance);
CREATE VIRTUAL TABLE posting_term USING fts5vocab (posting, row);
INSERT INTO meta VALUES ('embedding_identity', 'hashed-words@aa8366ed948b');
INSERT INTO meta VALUES ('generation', 3);
INSERT INTO meta VALUES ('language', 'english');
INSERT INTO meta VALUES ('last_chunk_id', 4);
INSERT INTO root VALUES (1, 'ROOT', '');
INSERT INTO file VALUES (1, 1, x'62726561642e6d64', 'bread.md', 24, 1700000000000000000, 1796043265048089074, 3015922, '2eda4a639fb6086509b68bda440c02b0a4ad24547ea29105ef66afa7b5008b40', 1796043265.4040797, '2eda4a639fb6086509b68bda440c02b0a4ad24547ea29105ef66afa7b5008b40', 1796043265.5150054, 'settled', NULL, NULL, 'markdown/1', 'glassdex-chunker/2', 'glassdex-analyzer/2 english snowball-3.1.1 stop-0a79cd24 unicode-14.0.0 fields-2,1,1,1,0.5');
INSERT INTO file VALUES (2, 1, x'656d7074792e6d64', 'empty.md', 0, 1700000000000000000, 1796043265048155913, 3015938, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 1796043265.4042976, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 1796043265.5154545, 'settled', NULL, NULL, 'markdown/1', 'glassdex-chunker/2', 'glassdex-analyzer/2 english snowball-3.1.1 stop-0a79cd24 unicode-14.0.0 fields-2,1,1,1,0.5');
INSERT INTO file VALUES (3, 1, x'686172626f75722e6d64', 'harbour.md', 77, 1700000000000000000, 1796043265048006701, 3015890, '71995d91565beec5be0bee3cbe1f4941ed6460ca2048b577d30671234bdbdf8d', 1796043265.404712, '71995d91565beec5be0bee3cbe1f4941ed6460ca2048b577d30671234bdbdf8d', 1796043265.5155113, 'settled', NULL, NULL, 'markdown/1', 'glassdex-chunker/2', 'glassdex-analyzer/2 english snowball-3.1.1 stop-0a79cd24 unicode-14.0.0 fields-2,1,1,1,0.5');
INSERT INTO document VALUES (1, 'markdown', 'Bread', 'heading', NULL, 1700000000.0, '{}', '[]');
INSERT INTO document VALUES (2, 'markdown', 'empty', 'file_name', NULL, 1700000000.0, '{}', '[]');
INSERT INTO document VALUES (3, 'markdown', 'Harbour', 'heading', NULL, 1700000000.0, '{}', '[]');
INSERT INTO row VALUES (1, 1, 'entity', 0, 'entity:0:2eda4a639fb6', '2eda4a639fb6086509b68bda440c02b0a4ad24547ea29105ef66afa7b5008b40', 0, 24, 1, 3, NULL, NULL, NULL);
INSERT INTO row VALUES (2, 2, 'entity', 0, 'entity:0:e3b0c44298fc', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 0, 0, 1, 1, NULL, NULL, NULL);
INSERT INTO row VALUES (3, 3, 'entity', 0, 'entity:0:71995d91565b', '71995d91565beec5be0bee3cbe1f4941ed6460ca2048b577d30671234bdbdf8d', 0, 77, 1, 6, NULL, NULL, NULL);
INSERT INTO row VALUES (4, 3, 'observation', 0, 'observation:0:6170c52163b1', '6170c52163b160fd74695ed9b5a7e3c86d78720dcf222142435c3e69341914a8', 26, 55, 5, 5, 'fact', NULL, NULL);
INSERT INTO row VALUES (5, 3, 'relation', 0, 'relation:0:f471caf0525b', 'f471caf0525be7842f9a1e835db421d4f446138fc0150978f94aafbd167bb75a', 56, 76, 6, 6, 'leads_to', 'Bread', NULL);
INSERT INTO tag VALUES (3, 4, 'boat', 'boat');
INSERT INTO link VALUES (1, 3, 'relation', 'leads_to', 'Bread', NULL, NULL, 6);
INSERT INTO chunk VALUES (1, 1, 1, 'entity:b9a63f5cf2528049:0', 0, 'entity', 0, 23, 1, 3, '# Bread' || char(10) || '' || char(10) || 'oven and flour', '["Bread"]', 'Bread', 6, x'60e3b98ea17c91042fcf04177d194fa6', 6.0, 'ready', 'ready', 0, 1796043265.5150054);
INSERT INTO chunk VALUES (2, 3, 3, 'entity:23393ba5b5e8d447:0', 0, 'entity', 0, 24, 1, 3, '# Harbour' || char(10) || '' || char(10) || 'boats at dawn', '["Harbour"]', 'Harbour', 6, x'ddc170eafcd34f3dfbe886c99d7ebcca', 6.0, 'ready', 'ready', 1, 1796043265.5155113);
INSERT INTO chunk VALUES (3, 3, 4, 'observation:6170c52163b160fd:0', 1, 'observation', 26, 55, 5, 5, '- [fact] the tide turns #boat', '["Harbour"]', 'Harbour', 10, x'dc0c22df4f064e3e09f79e5dfdf604be', 8.0, 'ready', 'ready', 2, 1796043265.5155113);
INSERT INTO chunk VALUES (4, 3, 5, 'relation:f471caf0525be784:0', 2, 'relation', 56, 76, 6, 6, '- leads_to [[Bread]]', '["Harbour"]', 'Harbour', 10, x'f3e65e69cc773caf4808ad2622362c13', 5.0, 'ready', 'ready', 3, 1796043265.5155113);
INSERT INTO embedding_identity VALUES (1, 'hashed-words@aa8366ed948b', '{"dimensions": 24, "document_prefix": "", "model": "hashed-words", "pooling": "mean", "query_prefix": "", "token_limit": 0, "weights_sha256": ""}', 3);
INSERT INTO vector VALUES (1, x'60e3b98ea17c91042fcf04177d194fa6', 0);
INSERT INTO vector VALUES (1, x'dc0c22df4f064e3e09f79e5dfdf604be', 2);
INSERT INTO vector VALUES (1, x'ddc170eafcd34f3dfbe886c99d7ebcca', 1);
INSERT INTO vector VALUES (1, x'f3e65e69cc773caf4808ad2622362c13', 3);
INSERT INTO slab VALUES (1, 1, 0, CAST(x'fc50b43d00000000000000000000000000000000fc50b4befc50b43e00000000000000000000000000000000fc50343f000000000000000000000000000000000000000000000000000000000000000000000000fc50b43e00000000fc50b43efc50b43d0000000000000000000000000000000000000000000000000000000000000000fc50b43efc5034bf000000000000000000000000000000000000000000000000000000000000000000000000fc50b43e00000000fc50b43efc50b43ec013aa3d00000000000000000000000000000000c013aabec0132a3fc013aa3e0000000000000000c013aabe0000000000000000000000000000000000000000c013aa3e000000000000000000000000c013aabe000000000000000000000000ec05fe3dec05febe0000000000000000000000000000000000000000000000000000000000000000ec05febe0000000000000000000000000000000000000000ec05fe3e000000000000000000000000ec05febe' || zeroblob(97932) AS BLOB));
INSERT INTO word VALUES ('and', 'and');
INSERT INTO word VALUES ('at', 'at');
INSERT INTO word VALUES ('boat', 'boats');
INSERT INTO word VALUES ('bread', 'bread');
INSERT INTO word VALUES ('dawn', 'dawn');
INSERT INTO word VALUES ('empti', 'empty');
INSERT INTO word VALUES ('fact', 'fact');
INSERT INTO word VALUES ('flour', 'flour');
INSERT INTO word VALUES ('harbour', 'harbour');
INSERT INTO word VALUES ('leads_to', 'leads_to');
INSERT INTO word VALUES ('oven', 'oven');
INSERT INTO word VALUES ('the', 'the');
INSERT INTO word VALUES ('tide', 'tide');
INSERT INTO word VALUES ('turn', 'turns');
DELETE FROM posting_data;
INSERT INTO posting_data VALUES (1, x'0404040f0102');
INSERT INTO posting_data VALUES (10, x'00000000ff00000101010100010101010101000004');
INSERT INTO posting_data VALUES (137438953473, x'000000c30430616e64010601020402017402060102040104626f61740206010203010c010206010302020472656164010e02010102010202030601020301046461776e0206010205010466616374030601020202046c6f757201060102050107686172626f7572020e0201010201020201080201010201080201010201046c65616404060104020504735f746f040601020201046f76656e0106010203010374686503060102030203696465030601020402016f0406010403020375726e0306010205040a0813140b0b0b1e0b0b0b0a0a08');
DELETE FROM posting_idx;
INSERT INTO posting_idx VALUES (1, x'', 2);
DELETE FROM posting_docsize;
INSERT INTO posting_docsize VALUES (1, x'0101040000', 1);
INSERT INTO posting_docsize VALUES (2, x'0101040000', 1);
INSERT INTO posting_docsize VALUES (3, x'0101050100', 1);
INSERT INTO posting_docsize VALUES (4, x'0101020002', 1);
DELETE FROM posting_config;
INSERT INTO posting_config VALUES ('version', 4);
PRAGMA application_id = 1196184408;
PRAGMA user_version = 1;
COMMIT;
