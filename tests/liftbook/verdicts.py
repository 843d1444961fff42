"""The verdict of a check of the book."""

import ast


def judged(source, names):
    """Run a check's cell and return its verdict."""
    *before, last = ast.parse(source).body
    exec(compile(ast.Module(before, []), "check", "exec"), names)  # noqa: S102 - the book's own
    return eval(compile(ast.Expression(last.value), "check", "eval"), names)  # noqa: S307
