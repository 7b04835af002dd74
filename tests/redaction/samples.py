"""Secrets that were never anyone's: drawn at run time, so that no scanner takes this repository for a leak."""

import base64
import json
import random
import string

_draw = random.Random(20261130)
_ALPHANUMERIC = string.ascii_letters + string.digits
_URL_SAFE = _ALPHANUMERIC + "-_"
_HEXADECIMAL = "0123456789abcdef"


def drawn(length: int, alphabet: str = _ALPHANUMERIC) -> str:
    """A random string with upper and lower case and digits, where the alphabet has them."""
    while True:
        text = "".join(_draw.choices(alphabet, k=length - 1)) + _draw.choice(alphabet.strip("-_+/"))
        if len(set(text)) >= min(length, len(alphabet), 9) and (length < 16 or sum(c.isdigit() for c in text) >= 2):
            return text


def key_block(kind: str) -> str:
    lines = "\n".join(drawn(64) for _ in range(6))
    return "\n".join((f"-----BEGIN {kind}" + "-----", lines, drawn(30) + "==", f"-----END {kind}" + "-----"))


def _discord() -> str:
    return base64.b64encode(b"412345678901234567").decode() + "." + drawn(6, _URL_SAFE) + "." + drawn(38, _URL_SAFE)


def _jwt() -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(b'{"sub":"1234567890","name":"A"}').decode().rstrip("=")
    return f"{head}.{body}.{drawn(43, _URL_SAFE)}"


TOKENS: dict[str, tuple[str, str]] = {
    "aws": ("aws access key", "AK" + "IA" + drawn(16, string.ascii_uppercase + "234567")),
    **{f"gh{kind}": ("github token", f"gh{kind}_" + drawn(36)) for kind in "pousr"},
    "github_pat": ("github token", "github_" + "pat_" + drawn(22) + "_" + drawn(59)),
    "gitlab": ("gitlab token", "glp" + "at-" + drawn(20, _URL_SAFE)),
    "anthropic": ("anthropic key", "sk-" + "ant-api03-" + drawn(93, _URL_SAFE) + "AA"),
    "openai": ("openai key", "s" + "k-" + drawn(48)),
    "openai project": ("openai key", "sk-" + "proj-" + drawn(156)),
    "google": ("google key", "AI" + "za" + drawn(35, _URL_SAFE)),
    "slack bot": ("slack token", "xo" + f"xb-{drawn(12, string.digits)}-{drawn(12, string.digits)}-{drawn(24)}"),
    "slack app": ("slack token", "xa" + f"pp-1-A{drawn(10)}-{drawn(13, string.digits)}-{drawn(64, _HEXADECIMAL)}"),
    "stripe secret": ("stripe key", "sk_" + "live_" + drawn(24)),
    "stripe restricted": ("stripe key", "rk_" + "live_" + drawn(24)),
    "npm": ("npm token", "np" + "m_" + drawn(36)),
    "pypi": ("pypi token", "py" + "pi-AgEI" + drawn(120, _URL_SAFE)),
    "hugging face": ("hugging face token", "h" + "f_" + drawn(34)),
    "digitalocean": ("digitalocean token", "do" + "p_v1_" + drawn(64, _HEXADECIMAL)),
    "sendgrid": ("sendgrid key", "S" + "G." + drawn(22, _URL_SAFE) + "." + drawn(43, _URL_SAFE)),
    "twilio": ("twilio key", "S" + "K" + drawn(32, _HEXADECIMAL)),
    "jwt": ("jwt", _jwt()),
}
"""Name → (rule, token): nothing of a token may stay."""

IN_CONTEXT: dict[str, tuple[str, str, str]] = {
    "telegram": ("telegram token", f"{drawn(10, '123456789')}:", "AA" + drawn(33, _URL_SAFE)),
    "discord": ("discord token", *(lambda token: (token[:25], token[25:]))(_discord())),
    "aws secret": ("aws secret key", "aws_secret_access_key = ", drawn(40, _ALPHANUMERIC + "+/")),
    "aws secret in JSON": ("aws secret key", '{"SecretAccessKey": "', drawn(40)),
    "slack webhook": ("webhook", "https://hooks.slack.com/services/", f"T{drawn(9)}/B{drawn(9)}/{drawn(24)}"),
    "discord webhook": ("webhook", "https://discord.com/api/webhooks/123456789012345678/", drawn(68, _URL_SAFE)),
    "bearer": ("authorization", "Authorization: Bearer ", drawn(40)),
    "bearer in code": ("authorization", "headers = {'Authorization': 'Bearer ", drawn(40)),
    "basic": ("authorization", "authorization: Basic ", base64.b64encode(("bob:" + drawn(20)).encode()).decode()),
    "url": ("url password", "postgres://admin:", "hunter2"),
    "azure": ("azure storage key", "AccountName=a;Account" + "Key=", drawn(86, _ALPHANUMERIC + "+/") + "=="),
    "api key": ("secret", "API_KEY=", drawn(32)),
    "client secret": ("secret", 'client_secret: "', drawn(32)),
    "access token in a URL": ("secret", "https://api.invalid/items?access_token=", drawn(32)),
    "session token": ("secret", "AWS_SESSION_TOKEN=", drawn(900, _ALPHANUMERIC + "+/")),
    "token in XML": ("secret", "<token>", drawn(32)),
    "hexadecimal token": ("secret", "token = '", drawn(40, _HEXADECIMAL)),
    "password": ("password", 'password = "', "Tr0ub4dor&3"),
    "password in an environment file": ("password", "DB_PASSWORD=", "s3cretPass99"),
    "password in escaped JSON": ("password", '{\\"password\\": \\"', "Tr0ub4dor-3"),
    "password of an option": ("secret", "login --password ", "Tr0ub4dor-3"),
}
"""Name → (rule, what stands before the secret and stays, secret)."""

KEYS = {
    kind: key_block(kind)
    for kind in ("RSA " + "PRIVATE KEY", "OPENSSH " + "PRIVATE KEY", "PGP " + "PRIVATE KEY BLOCK", "PRIVATE" + " KEY")
}
ESCAPED_KEY = json.dumps({"private_key": KEYS["PRIVATE" + " KEY"] + "\n", "client_email": "a@b.invalid"})

CLEAN = (
    "token = get_token()", "password: str", 'password: str = "changeme"', "api_key=<your-token>", "TOKEN=${TOKEN}",
    "token=xxxxxxxxxxxxxxxxxxxxxxxx", "const apiKey = process.env.API_KEY", 'secret = os.environ["SECRET_TOKEN_1"]',
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "sha256:" + "0a1b2c3d" * 8,
    "123e4567-e89b-12d3-a456-426614174000", '"sessionId": "123e4567-e89b-12d3-a456-426614174000"',
    '"input_tokens": 1234567890123456', "tokenizer: sentence-transformers/all-MiniLM-L6-v2",
    "secretName: my-service-tls-2024", "private_key: ed25519.Ed25519PrivateKey", "password=settings.password2",
    "https://example.invalid:8080/@user", "https://user:${PASSWORD}@host", "https://user:password@host",
    "https://user:<password>@host", "sk-learn-contrib-packages-something", "ghp_" + "x" * 36, "AKIAIOSFODNN7EXAMPLE",
    "eyJ.only.two", "-----BEGIN PUBLIC KEY-----", "-----BEGIN PRIVATE" + " KEY-----\n...\n-----END PRIVATE KEY-----",
    "Bearer authentication is described below", "Authorization: Bearer $TOKEN", "integrity: sha512-" + "Ab1+" * 21,
    '"id": "toolu_01' + "A1b2C3d4" * 3 + '"', "password = hashlib.sha256(value).hexdigest()", "k8s-hf_model_name",
)  # fmt: skip
"""Lines of code, logs and manuals that look like secrets and are none."""

NAMED = (
    ("curl -d 'client_secret=abcdefghijkl&grant_type=code'", "abcdefghijkl"),
    ("'oauth_token=abcdefg23h54ijklmno&oauth_verifier=1'", "abcdefg23h54ijklmno"),
    ("'password=swordfish&user=me'", "swordfish"),
    (
        "AWS_SECRET_ACCESS_KEY=abCDef/hijKL+no1234567890qrSTuvwXYz0123456789ab",
        "abCDef/hijKL+no1234567890qrSTuvwXYz0123456789ab",
    ),
    (
        "AWS_SECRET_ACCESS_KEY=/bCDef/hijKL+no1234567890qrSTuvwXYz01234567",
        "/bCDef/hijKL+no1234567890qrSTuvwXYz01234567",
    ),
    ("JWT_SECRET=my/secret/value1234", "my/secret/value1234"),
    ("client_secret=abcdefghijkl", "abcdefghijkl"),
    ('"client_secret": "abcdefghijkl"', "abcdefghijkl"),
    ("client_secret: 'abcdefghijkl'", "abcdefghijkl"),
    ("client_secret: abcd1234efgh", "abcd1234efgh"),
    ("export API_KEY=abcd1234efgh", "abcd1234efgh"),
    ("--api-key=abcd1234efgh", "abcd1234efgh"),
    ("x --client-secret abcdefghijkl", "abcdefghijkl"),
    ("DB_PASSWORD=Tr0ub4dor&3", "Tr0ub4dor&3"),
    ("DB_PASSWORD=Tr0ub(4)d!@#$%^*or,;&3=x", "Tr0ub(4)d!@#$%^*or,;&3=x"),
    ("DB_PASSWORD=!@#$%^*()", "!@#$%^*()"),
    ("DB_PASSWORD=a!@#$%^*()", "a!@#$%^*()"),
    ("password: Tr0ub4dor&3;x", "Tr0ub4dor&3;x"),
    ("password=Tr0ub4dor&3,x)y", "Tr0ub4dor&3,x)y"),
    ('password: "pa ss word 1"', "pa ss word 1"),
    ('passwd: "two words9"', "two words9"),
    ('"password": "a \\"quoted\\" one 9"', 'a \\"quoted\\" one 9'),
    ('"password": "it\'s9mine"', "it's9mine"),
    ('{\\"password\\": \\"in \\\\\\"q\\\\\\" 9\\"}', 'in \\\\\\"q\\\\\\" 9'),
    ('"password": "swordfish"', "swordfish"),
    ("password = 'swordfish'", "swordfish"),
    ("cmd --password=swordfish", "swordfish"),
    ("cmd --password swordfish host", "swordfish"),
    ('cmd --db-password "sword fish"', "sword fish"),
    ("PGPASSWORD=swordfish psql -h x", "swordfish"),
    ("sudo PGPASSWORD=swordfish psql", "swordfish"),
    ("password=swordfish", "swordfish"),
    ("docker run -e MYSQL_ROOT_PASSWORD=swordfish mysql", "swordfish"),
    ("  - POSTGRES_PASSWORD=swordfish", "swordfish"),
    ("ENV DB_PASSWORD=swordfish", "swordfish"),
    ("https://x.invalid/?password=swordfish&user=me", "swordfish"),
    ("Server=x;Password=Tr0ub4dor&3;Encrypt=yes", "Tr0ub4dor&3"),
    ("curl -u bob:swordfish https://x", "swordfish"),
    ('curl -s --user "bob:sword fish" https://x', "sword fish"),
    ("curl https://x -ubob:swordfish", "swordfish"),
    ("mysql -u root -pswordfish db", "swordfish"),
    ("mysqldump -uroot -p'sword fish' db", "sword fish"),
    ("Cookie: session=abcdef0123456789xyz; theme=dark", "abcdef0123456789xyz"),
    ("Set-Cookie: sid=abcdef0123456789xyz; Path=/; HttpOnly", "abcdef0123456789xyz"),
    ('"Cookie": "a=b; session=abcdef0123456789xyz"', "abcdef0123456789xyz"),
    ("machine x.org login bob password swordfish", "swordfish"),
    ('"auth": "Ym9iOnN3b3JkZmlzaA=="', "Ym9iOnN3b3JkZmlzaA=="),
    ("sshpass -p swordfish ssh x", "swordfish"),
    ("sshpass -pswordfish ssh x", "swordfish"),
    ('"password": "correct horse battery staple"', "correct horse battery staple"),
    ('"DB_PASSWORD=Tr0ub4dor&3"', "Tr0ub4dor&3"),
    ("DB_PASSWORD='Tr0ub$dor\"3'", 'Tr0ub$dor"3'),
    ("DB_PASSWORD=it's9mine", "it's9mine"),
    ("DB_PASSWORD=$ecret$123!", "$ecret$123!"),
    ("DB_PASSWORD=hunter2", "hunter2"),
    ('DB_PASSWORD="hunter 2', "hunter"),
    ('password: str = "Tr0ub4dor3"', "Tr0ub4dor3"),
    ('password = "Tr0ub4dor3', "Tr0ub4dor3"),
    ('$env:API_KEY="abcd1234efgh"', "abcd1234efgh"),
    ("spring.datasource.password=swordfish", "swordfish"),
    ('DB_PASSWORD="swordfish" # c', "swordfish"),
    ("DATABASE_PASSWORD: swordfish", "swordfish"),
    ('passphrase: "Tr0ub4dor & 3"', "Tr0ub4dor & 3"),
    ('//registry.invalid/:_password="c3dvcmRmaXNo9"', "c3dvcmRmaXNo9"),
)
"""(line, secret within it): known by its name or its command, whatever it is made of."""

CODE_AND_STAND_INS = (
    "connect(password=secret)",
    "connect(user=user, password=secret1234, db=name)",
    "connect(PASSWORD=swordfish)",
    "password = getpass()",
    'password=getpass.getpass("Password: ")',
    'PASSWORD=getpass("Password: ")',
    "password = swordfish",
    "    password=swordfish",
    "password: swordfish",
    "password: string",
    "PASSWORD: string",
    '"password": "string"',
    '"password": "required"',
    '"password": "Must have at least 8 characters"',
    '"password": "Password 2 required"',
    "password = 'password'",
    'password = "changeme"',
    'password = "your-password-1"',
    'password="db_password"',
    '"password": "dbPassword"',
    '"password": null',
    "PASSWORD=",
    "PASSWORD=<password>",
    "PASSWORD=${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD",
    "PASSWORD=$(pass show db1)",
    "PASSWORD=xxxxxxxx",
    "PASSWORD=None",
    "password=user.password2",
    'password=settings.PASSWORDS["db1"],',
    'password = config["password1"]',
    "const password = process.env.DB_PASSWORD1",
    'password = os.environ.get("PASSWORD_1")',
    'url = "password=" + name1 + "&user=" + user',
    "{file:!0,password:!0,image:!0}",
    "e.password=t?n.password:r1",
    "my $password = $config->{password1};",
    "cmd --password",
    "cmd --password PASSWORD",
    "cmd --password <password>",
    'cmd --password "$PASSWORD"',
    "cmd --password-file /run/secret/db1",
    "cmd --password Password for the database",
    "use --password instead",
    "--passwordbox --password --inputbox",
    "mkdir -p swordfish",
    "mysql -u root -p",
    "mysql -u root -p database1",
    "mysql -u root -p$PASSWORD",
    "docker run -u 1000:1000 image",
    "docker run --user 1000:1000 image",
    "curl -u user:password https://x.invalid",
    'curl -u "$USER:$PASSWORD" https://x.invalid',
    "curl -u user https://x.invalid",
    "Cookie: a=b; theme=dark",
    "Cookie: session=<session-id-of-the-user>",
    "Set-Cookie: a=b; Path=/a/long/path/of/the/site; Domain=www.example.invalid",
    "cookie: the header that holds all cookies of a site",
    "the machine has a login page with a password field",
    "login bob password swordfish",
    '"auth": "required"',
    '"auth": "bearerbearer"',
    "sshpass -p $PASSWORD ssh host",
    'sshpass -p "$PASSWORD" ssh host',
    "client_secret = get_client_secret()",
    "client_secret: str",
    '"client_secret": "client_secret"',
    '"token": "identifier"',
    "token=tokenizer",
    "API_KEY=your-api-key",
    "API_KEY=$(cat key.txt)",
    "MAX_TOKENS=20000000",
    "max_token=20000000",
    'api_key = "not-needed"',
    'secret = "swordfish"',
    "JWT_SECRET=/run/secrets/jwt1",
    "PWD=/home/user/project1",
    'pwd = "project"',
    "PWD=projects",
    "AWS_SECRET_ACCESS_KEY=${{ secrets.AWS_SECRET_ACCESS_KEY }}",
    "-----BEGIN PRIVATE KEY-----\nyour key here\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nbase64encodedkey\n-----END PRIVATE KEY-----",
)
"""Near misses of those: code, types, placeholders, sentences, other commands' options."""
