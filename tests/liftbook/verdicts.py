"""The verdict of a check of the book."""

import ast


def judged(source, names):
    """Run a check's cell and return its verdict."""
    *before, last = ast.parse(source).body
    exec(compile(ast.Module(before, []), "check", "exec"), names)  # noqa: S102
    verdict = compile(ast.Expression(last.value), "check", "eval")
    return eval(verdict, names)  # noqa: S307
