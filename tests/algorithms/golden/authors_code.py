"""Functions of a program's source, without running or installing the rest of it."""

import ast


def functions(path, names, scope):
    """The functions and classes `names` of the file, in the order of the file. `scope`: the globals that they see, which
    may be added to later."""
    with open(path) as file:
        tree = ast.parse(file.read())
    found = [node for node in tree.body if getattr(node, "name", None) in names]
    missing = set(names) - {node.name for node in found}
    if missing:
        raise SystemExit(f"{path}: expected the functions {sorted(missing)}, got none of that name")
    exec(compile(ast.Module(body=found, type_ignores=[]), path, "exec"), scope)
    return [scope[name] for name in names]
