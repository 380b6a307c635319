"""Builds the object that a plain config node describes, after checking its class and its keys.

A node is a mapping. `_target_` names a class, and every other key is a parameter of its constructor. A value that is
itself a node is built first. With `_partial_: true` the result is a function; the program calls it with the parameters
that only the program knows.

This module uses neither OmegaConf nor Hydra. So it builds objects from a checkpoint's config and from a command line in
the same way.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import typing
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from nmt.errors import ParameterError, UserError, did_you_mean, one_line
from nmt.parameters import annotations_of, options, shown, value_problem

TARGET, PARTIAL = "_target_", "_partial_"
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
# **kwargs would take a misspelt key as well, so a config sets only the parameters that have names
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def instantiate(
    node: Any,
    path: str,
    *,
    within: Sequence[str],
    allow: Sequence[str] = (),
    offered: Mapping[str, Any] = MappingProxyType({}),
    **runtime: Any,
) -> Any:
    """Return the object that `node` describes, or a function that makes it if the node is `_partial_`.

    `path`: the dotted key of `node` in the config ("model.encoder"). Every message of a UserError begins with it.
    `within`: the packages or modules whose classes a `_target_` may name ("nmt.models").
    `allow`: further packages that the user allows for this run. A config from an unknown checkpoint could otherwise
    import and run any code.
    `offered`: arguments that the constructor gets only if it has parameters of these names.
    `runtime`: arguments that only the program knows. The config must not set them.
    """
    target = class_of(node, path, within=(*within, *allow))
    parameters = {each.name: each for each in inspect.signature(target).parameters.values() if each.kind in _NAMED}
    if lacking := [name for name in runtime if name not in parameters]:
        raise UserError(f"{path}.{TARGET}: the constructor of {target.__qualname__} must take {', '.join(lacking)}")
    partial = node.get(PARTIAL, False)
    if not isinstance(partial, bool):
        raise UserError(f"{path}.{PARTIAL}: got {shown(partial)}, expected true or false")
    runtime |= {name: value for name, value in offered.items() if name in parameters and name not in runtime}
    given = {str(key): value for key, value in node.items() if key not in (TARGET, PARTIAL)}
    settable = [name for name in parameters if name not in runtime]
    known = f"; {target.__name__} takes {', '.join(settable) or 'nothing'}"
    for key in given:
        if key in runtime:
            raise UserError(f"{path}.{key}: the program sets this parameter; remove the key")
        if key not in parameters:
            raise UserError(f"{path}.{key}: unknown key{did_you_mean(key, [*settable, *offered]) or known}")
    missing = [name for name in settable if name not in given and parameters[name].default is inspect.Parameter.empty]
    if missing and not partial:
        raise UserError(f"{path}.{missing[0]}: missing; {target.__name__} needs it")
    hints = annotations_of(target)
    arguments = {
        key: _argument(value, hints.get(key, Any), f"{path}.{key}", within=within, allow=allow)
        for key, value in given.items()
    }
    make = functools.partial(_construct, target, path, {**arguments, **runtime})
    return make if partial else make()


def _argument(value: Any, annotation: Any, path: str, *, within: Sequence[str], allow: Sequence[str]) -> Any:
    """Return `value` as an argument: a node as its object, and a list as a tuple if the parameter is a tuple."""
    if isinstance(value, Mapping) and TARGET in value:
        value = instantiate(value, path, within=within, allow=allow)
    if problem := value_problem(value, annotation):
        raise UserError(f"{path}: {problem}")
    is_tuple = any(typing.get_origin(option) is tuple for option in options(annotation))
    return tuple(value) if isinstance(value, list) and is_tuple else value


def _construct(target: type, path: str, arguments: Mapping[str, Any], /, **later: Any) -> Any:
    """Return the object. An error of its constructor names the node."""
    try:
        return target(**arguments, **later)
    except UserError:
        raise
    except ParameterError as error:
        raise UserError(f"{path}.{error.parameter}: {error.problem}") from error
    except (ValueError, TypeError, RuntimeError, LookupError) as error:  # RuntimeError: sizes that torch cannot make
        kind = f"{type(error).__name__}: " if isinstance(error, LookupError) else ""  # its text is only the key
        raise UserError(f"{path}: {kind}{one_line(error)}") from error


def class_of(node: Any, path: str, *, within: Sequence[str]) -> type:
    """Return the class that a node names. Raises UserError if it is not found, or not in the packages `within`.

    The name is compared before anything is imported. A module also contains the names that it imports, so the class
    itself must be defined in one of these packages.
    """
    if not isinstance(node, Mapping) or TARGET not in node:
        raise UserError(f"{path}: got {shown(node)}, expected a mapping with {TARGET}")
    where, name = f"{path}.{TARGET}", node[TARGET]
    prefixes = tuple(f"{package}." for package in within)
    words = f"a class in {', '.join(within)}"
    if not isinstance(name, str) or not _DOTTED.fullmatch(name) or not name.startswith(prefixes):
        own = isinstance(name, str) and _DOTTED.fullmatch(name) and name.split(".")[0] not in ("nmt", "torch")
        remedy = f"; to use your own package, add allow=[{name.split('.')[0]}]" if own else ""
        raise UserError(f"{where}: got {shown(name)}, expected {words}{remedy}")
    module_name, _, attribute = name.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # the target's module was found, but another module that it imports is missing
        raise UserError(
            f"{where}: got '{name}', but Python cannot find the module {error.name}; correct the name, or add the "
            "folder that contains it to PYTHONPATH"
        ) from error
    found = getattr(module, attribute, None)
    if not inspect.isclass(found):
        classes = [key for key, value in vars(module).items() if inspect.isclass(value)]
        raise UserError(f"{where}: {module_name} has no class '{attribute}'{did_you_mean(attribute, classes)}")
    if not f"{found.__module__}.".startswith(prefixes):
        raise UserError(f"{where}: {name} is not {words}")
    return found
