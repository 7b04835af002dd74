"""The command line inside an indexed vault, as in tests/cli."""

from tests.cli.conftest import home, in_vault, run, vault_home

__all__ = ["home", "in_vault", "run", "vault_home"]
