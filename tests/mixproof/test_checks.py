"""Arguments held against annotations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import pytest
from messages import raised
from numpy.typing import ArrayLike

from liftlib import LIP, Joint
from liftlib.errors import InvalidParameter, shown
from liftlib.notions import Notion
from mixproof.checks import checked

JOINT = Joint([[1.0]])
Kind = TypeVar("Kind")


class Strange:
    def __repr__(self):
        return "a strange\n   thing"


class TestKinds:
    @pytest.mark.parametrize(
        ("hint", "good", "bad", "wanted"),
        [
            (bool, [True, np.True_], [1, None, "yes"], "True or False"),
            (str, ["", "x"], [1, None, b"x"], "a text"),
            (
                int | None,
                [None, 0, np.int64(3)],
                [True, 1.5, "1"],
                "a whole number or None",
            ),
            (type(None), [None], [0, ""], "None"),
            (None, [None], [0, False], "None"),
            (
                Literal["up", "down"],
                ["up"],
                ["left", 1, None, ["up"]],
                '"up" or "down"',
            ),
            (Literal[1, "all"], [1, "all"], [2, "1"], '1 or "all"'),
            (Literal[True], [True], [False, None], "True"),
            (Callable[[int], int], [len, lambda x: x], [3, "len"], "a function"),
            (
                type[Exception],
                [Exception, ValueError],
                ["ValueError", 3, int],
                "Exception or a class derived from it",
            ),
            # Notion is abstract
            (type[Notion], [LIP], [Notion, Joint], "Notion or a class derived from it"),
            (type[Kind], [int, Joint], ["Joint"], "a class"),
            (
                Sequence[str],
                [["a"], (), np.array(["a"])],
                [["a", 1], 3, {"a"}, np.array("a")],
                "a sequence, each entry a text",
            ),
            (
                Sequence[Joint] | None,
                [None, [JOINT]],
                [JOINT, [1]],
                "a sequence, each entry a Joint or None",
            ),
            (Joint, [JOINT], [[[1.0]], None, Joint], "a Joint"),
            (Path, [Path("a")], ["a"], "a Path"),
            (np.random.Generator, [np.random.default_rng(0)], [0, None], "a Generator"),
            (
                Joint | np.random.Generator | str,
                [JOINT, ""],
                [0],
                "a Joint or a Generator or a text",
            ),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_of_an_argument(self, hint, good, bad, wanted):
        def function(it):
            return it

        function.__annotations__ = {"it": hint}
        guarded = checked(function)
        for value in good:
            assert guarded(value) is value
            assert guarded(it=value) is value
        for value in bad:
            with pytest.raises(InvalidParameter) as told:
                guarded(value)
            assert str(told.value) == f"it is {shown(value)}: give {wanted}"

    @pytest.mark.parametrize(
        "hint", [Any, int, float, dict, list[int], ArrayLike, inspect.Parameter.empty]
    )
    def test_others_are_the_functions_own_to_check(self, hint):
        def function(it):
            return it

        function.__annotations__ = {"it": hint}
        for value in (object(), "x", None, 1.5):
            assert checked(function)(value) is value

    def test_a_union_of_more_than_five_is_somebody_elses(self):
        def five(it: int | str | bool | Joint | None):
            return it

        def six(it: int | str | bool | Joint | Path | None):
            return it

        assert checked(six)(1.5) == 1.5
        with raised(InvalidParameter):
            checked(five)(1.5)

    def test_the_first_that_does_not_fit_is_named(self):
        @checked
        def function(a: str, /, b: Joint, *, c: bool = False):
            return a, b, c

        assert function("x", JOINT) == ("x", JOINT, False)
        for args, kwargs, name in (
            (("x", 1), {}, "b"),
            ((1, JOINT), {}, "a"),
            (("x", JOINT), {"c": 2}, "c"),
        ):
            with raised(InvalidParameter) as told:
                function(*args, **kwargs)
            assert name in str(told.value)

    def test_names_that_only_a_type_checker_has(self):
        @checked
        def function(frame: NotImported, other, text: str):  # noqa: F821
            return frame

        assert function(3, None, "x") == 3
        with raised(InvalidParameter):
            function(3, None, 3)

    def test_what_is_defined_below(self):
        @checked
        def function(it: Below):
            return it

        with raised(InvalidParameter):
            function(3)
        assert isinstance(function(Below()), Below)


class Below:
    """Defined after what names it."""


class TestTheFunction:
    def test_keeps_its_name_its_text_and_its_signature(self):
        def function(it: str) -> str:
            """Say it."""
            return it

        guarded = checked(function)
        assert (guarded.__name__, guarded.__doc__) == ("function", "Say it.")
        assert inspect.signature(guarded) == inspect.signature(function)

    def test_a_right_call_lets_no_wrong_one_in(self):

        @checked
        def function(
            way: Literal["up", "down"], names: Sequence[str] = (), *, loud: bool = True
        ):
            return way, names, loud

        @checked
        def plain(it: str, loud: bool = True):
            return it, loud

        for _ in range(2):
            assert function("up", ("a",), loud=False) == ("up", ("a",), False)
            assert function("down") == ("down", (), True)
            for args, kwargs, name in (
                (("left",), {}, "way"),
                (("up", ("a", 3)), {"loud": False}, "names"),
                (("up",), {"loud": "no"}, "loud"),
            ):
                with raised(InvalidParameter) as told:
                    function(*args, **kwargs)
                assert name in str(told.value)
            assert plain("a", False) == plain(it="a", loud=False) == ("a", False)
            for args, kwargs in (
                ((False, "a"), {}),
                (("a", 2), {}),
                ((), {"it": False, "loud": False}),
                ((), {"loud": "a", "it": False}),
            ):
                with raised(InvalidParameter):
                    plain(*args, **kwargs)

    def test_wrong_numbers_of_arguments_stay_type_errors(self):
        @checked
        def function(it: str):
            return it

        for args in ((), ("a", "b")):
            with raised(TypeError):
                function(*args)


class TestShown:
    def test_on_one_line(self):
        assert shown("a") == "'a'"
        assert shown(Strange()) == "a strange thing"

    def test_not_long(self):
        assert shown("x" * 58) == f"'{'x' * 58}'"
        assert shown("x" * 59) == f"'{'x' * 59}... of type str"
        # Python itself writes 4300 digits at most
        assert shown(10**5000) == "int too long to write"
        assert shown("abcdef", 3) == "'ab... of type str"
