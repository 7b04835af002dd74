"""The read path: one file a stage, over one ledger. `engine.py` is the pipeline."""
