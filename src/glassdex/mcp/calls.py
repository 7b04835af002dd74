"""How many searches a conversation may make."""

from __future__ import annotations

import threading
from collections import OrderedDict

from glassdex.errors import BudgetExhausted

MOST_CONVERSATIONS = 10_000


class CallBudget:
    """Counts searches by conversation; without a `budget` there is no end. Safe to share between threads.

    A conversation is what the transport tells apart: over standard input the process, over HTTP the session, and all
    requests without one together.
    """

    def __init__(self, budget: int | None) -> None:
        self._budget = budget
        self._guard = threading.Lock()
        self._made: OrderedDict[str, int] = OrderedDict()

    def charge(self, conversation: str) -> int | None:
        """Counts one search; how many are left, nothing where there is no end.

        Raises:
            BudgetExhausted: none was left.
        """
        if self._budget is None:
            return None
        with self._guard:
            made = self._made.get(conversation, 0)
            if made >= self._budget:
                raise BudgetExhausted(
                    f"this conversation has made its {self._budget} searches",
                    "answer from what was found, and say what is missing; open, show_session and the lists still work",
                )
            self._made[conversation] = made + 1
            self._made.move_to_end(conversation)
            while len(self._made) > MOST_CONVERSATIONS:
                self._made.popitem(last=False)
            return self._budget - made - 1

    def give_back(self, conversation: str) -> None:
        """One search did not run: its parameters were wrong."""
        with self._guard:
            if self._made.get(conversation):
                self._made[conversation] -= 1
