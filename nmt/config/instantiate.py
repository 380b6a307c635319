"""Builds the object that a plain config node describes, after checking the class and its parameters.

A node is a mapping. `_target_` names a class, and every other key is a parameter of its constructor. A value that is
itself a node is built first. With `_partial_: true` the result is a function; the program calls it with the parameters
that only the program knows. A partial node is the argument of a parameter that is annotated with a protocol, whose
`__call__` names the parameters that the program adds.

This module uses neither OmegaConf nor Hydra. So it builds objects from a checkpoint's config and from a command line in
the same way.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import types
import typing
from abc import ABCMeta
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nmt.errors import ParameterError, UserError, did_you_mean, one_line
from nmt.parameters import annotations_of, expected, fits, hints_of, is_kind, is_plain, options, shown, value_problem

_TARGET, _PARTIAL = "_target_", "_partial_"
RENAMED = {  # earlier names of modules and classes, as older checkpoints and run folders have them
    "nmt.models.attention.bahdanau.BahdanauAttention": "nmt.models.attention.additive.AdditiveAttention",
    "nmt.models.attention.dot": "nmt.models.attention.luong",
    "nmt.models.attention.general": "nmt.models.attention.luong",
    "nmt.models.positions.none": "nmt.models.positions.base",
    **{
        f"nmt.data.sources.{name}": f"nmt.lab.tasks.{name}"
        for name in ("agreement", "coreference", "negation", "order")
    },
    **{f"nmt.data.sources.{name}": f"nmt.lab.sources.{name}" for name in ("gettext", "greek_new_testament")},
    **{f"nmt.training.callbacks.{name}": f"nmt.lab.callbacks.{name}" for name in ("samples", "watch")},
}
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


def instantiate(
    node: Mapping[str, Any],
    path: str,
    *,
    within: Sequence[str],
    allow: Sequence[str] = (),
    offered: Mapping[str, Any] = types.MappingProxyType({}),
    origins: Mapping[str, str] = types.MappingProxyType({}),
    **runtime: Any,
) -> Any:
    """Return the object that `node` describes, or a function that makes it if the node is `_partial_`.

    `path`: the dotted key of `node` in the config ("model.encoder"). Every error message begins with it.
    `within`: the packages or modules whose classes a `_target_` may name ("nmt.models").
    `allow`: further packages that the user allows for this run. A config from an unknown checkpoint could otherwise
    import and run any code.
    `offered`: arguments that the constructor gets only if it has parameters of these names.
    `origins`: maps the key of each copied node to the key of the original, which messages then name.
    `runtime`: arguments that only the program knows. The config must not set them.

    Raises one UserError with all problems of the node and of the nodes inside it: targets that are not allowed or not
    found, unknown or missing parameters, parameters that the program sets, values of the wrong type. A ParameterError
    of a constructor becomes a UserError that begins with the dotted key of the parameter. A ValueError, TypeError or
    RuntimeError becomes a UserError that begins with `path`. A UserError is not changed.
    """
    problems: list[str] = []
    plan = _Planner((*within, *allow), origins, problems).plan(node, path, runtime, offered)
    if plan is None or problems:
        raise UserError(*problems)
    return _build(plan)


@dataclass(frozen=True)
class _Plan:
    """A node whose keys fit its target. Arguments that are nodes are plans too."""

    target: type
    path: str
    partial: bool
    arguments: dict[str, Any]
    runtime: dict[str, Any]


class _Planner:
    """Checks nodes against the constructors of their targets, and appends a message to `problems` for each mistake."""

    def __init__(self, allowed: Sequence[str], origins: Mapping[str, str], problems: list[str]) -> None:
        self.allowed = allowed
        self.origins = origins
        self.problems = problems

    def plan(
        self,
        node: Any,
        path: str,
        runtime: Mapping[str, Any],
        offered: Mapping[str, Any] = types.MappingProxyType({}),
        later: Sequence[str] = (),
    ) -> _Plan | None:
        """Return the plan of `node`, or None if its target cannot be used.

        `later` names the parameters that the program adds when it calls the function of a partial node.
        """
        try:
            target = _resolve(node, path, self.allowed)
            parameters = _parameters(target, path)
        except UserError as error:
            self.problems += error.problems
            return None
        partial = node.get(_PARTIAL, False)
        if not isinstance(partial, bool):
            self.problems.append(f"{path}.{_PARTIAL}: got {shown(partial)}, expected true or false")
        given = {str(key): value for key, value in node.items() if key not in (_TARGET, _PARTIAL)}
        runtime = {**{key: value for key, value in offered.items() if key in parameters}, **runtime}
        self._bind(target, path, given, (*runtime, *later), offered, open_ended=bool(partial) and not later)
        arguments = {}
        for key, value in given.items():
            annotation = parameters.get(key, inspect.Parameter.empty)
            arguments[key] = self._argument(value, annotation, f"{path}.{key}")
        return _Plan(target, path, bool(partial), arguments, dict(runtime))

    def _bind(
        self,
        target: type,
        path: str,
        given: Mapping[str, Any],
        runtime: Sequence[str],
        offered: Iterable[str],
        *,
        open_ended: bool,
    ) -> None:
        """Note each unknown, missing or forbidden key of a node.

        `runtime` names the parameters that the program sets. With `open_ended`, keys may be missing.
        """
        parameters = inspect.signature(target).parameters
        lacking = [key for key in runtime if key not in parameters]
        if lacking:  # the class is the wrong one, so messages about its other parameters would not help
            self.problems.append(
                f"{path}.{_TARGET}: the constructor of {_named(target)} must take {', '.join(lacking)}"
            )
            return
        settable = [name for name in parameters if name not in runtime]
        for key in given:
            if key in runtime:
                self.problems.append(f"{path}.{key}: the program sets this parameter; remove the key")
            elif key not in parameters:
                near = did_you_mean(key, [*settable, *offered])
                near = near or f"; {target.__name__} takes {', '.join(settable) or 'nothing'}"
                self.problems.append(f"{path}.{key}: unknown key{near}")
        for name in settable if not open_ended else ():
            if name not in given and parameters[name].default is inspect.Parameter.empty:
                self.problems.append(f"{path}.{name}: missing; {target.__name__} needs it")

    def _argument(self, value: Any, annotation: Any, where: str) -> Any:
        """Return `value` as an argument: a node as its plan, and a list as a tuple if the parameter is a tuple."""
        if isinstance(value, Mapping) and _TARGET in value:
            return self._nested(value, annotation, self.origins.get(where, where))
        if problem := value_problem(value, annotation):
            where = self.origins.get(where, where)
            if isinstance(value, Mapping) and not is_plain(annotation):
                without = f", or do without one by {where}=null" if fits(None, annotation) else ""
                problem += f"; no {_TARGET} says which class these keys are for: name one{without}"
            self.problems.append(f"{where}: {problem}")
        elif isinstance(value, list) and any(typing.get_origin(option) is tuple for option in options(annotation)):
            return tuple(value)
        return value

    def _nested(self, node: Mapping[str, Any], annotation: Any, where: str) -> _Plan | None:
        """Return the plan of a node that is an argument, after a check against the annotation of the parameter."""
        later, made = _factory(annotation)
        if later and node.get(_PARTIAL) is not True:
            self.problems.append(f"{where}.{_PARTIAL}: expected true, because the program adds {', '.join(later)}")
            return None
        plan = self.plan(node, where, {}, later=later)
        wanted = made if later else annotation
        if plan is not None and plan.partial and not later:
            if not _accepts(annotation, types.FunctionType):
                self.problems.append(f"{where}.{_PARTIAL}: got true, expected no such key; remove it")
        elif plan is not None and not _accepts(wanted, plan.target):
            self.problems.append(f"{where}: got {_named(plan.target)}, expected {expected(wanted)}")
        return plan


def _build(plan: _Plan) -> Any:
    arguments = {key: _build(value) if isinstance(value, _Plan) else value for key, value in plan.arguments.items()}

    def construct(**later: Any) -> Any:
        try:
            return plan.target(**arguments, **plan.runtime, **later)
        except UserError:
            raise
        except ParameterError as error:
            raise UserError(f"{plan.path}.{error.parameter}: {error.problem}") from error
        except (ValueError, TypeError, RuntimeError) as error:  # torch raises RuntimeError for sizes it cannot make
            raise UserError(f"{plan.path}: {one_line(error)}") from error
        except LookupError as error:  # often a name in a table of choices; the text of a KeyError is only the key
            raise UserError(f"{plan.path}: {type(error).__name__}: {one_line(error)}") from error

    return construct if plan.partial else construct()


# Targets


def current_name(name: str) -> str:
    """Return the dotted name that a class has now."""
    module, _, attribute = name.rpartition(".")
    return RENAMED.get(name, f"{RENAMED.get(module, module)}.{attribute}" if module else name)


def renamed(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a stored config in which each class has the name that it has now."""
    return {
        key: current_name(value)
        if key == _TARGET and isinstance(value, str)
        else renamed(value)
        if isinstance(value, Mapping)
        else value
        for key, value in config.items()
    }


def with_defaults(config: Mapping[str, Any], *, within: Sequence[str]) -> dict[str, Any]:
    """Return a copy of a config in which each node of a class in these packages also has the keys that it left out.

    Their values are the defaults of the constructor. A default that is a class becomes a partial node.
    """
    kind = class_of(config, within=within)
    parameters = inspect.signature(kind).parameters.values() if kind else ()
    defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
    nodes = {name: {_TARGET: _named(each), _PARTIAL: True} for name, each in defaults.items() if inspect.isclass(each)}
    return {
        key: with_defaults(value, within=within) if isinstance(value, Mapping) else value
        for key, value in {**defaults, **nodes, **config}.items()
    }


def class_of(node: Mapping[str, Any], *, within: Sequence[str]) -> type | None:
    """Return the class that a node names, or None if it names no class of these packages."""
    try:
        return _resolve(node, "", within)
    except UserError:
        return None


def _resolve(node: Any, path: str, allowed: Sequence[str]) -> type:
    """Return the class that the node names. Raises UserError if the class is not found or not allowed."""
    if not isinstance(node, Mapping) or _TARGET not in node:
        raise UserError(f"{path}: got {shown(node)}, expected a mapping with {_TARGET}")
    where, name = f"{path}.{_TARGET}", node[_TARGET]
    name = current_name(name) if isinstance(name, str) else name
    prefixes = tuple(f"{prefix}." for prefix in allowed)
    words = f"a class in {', '.join(allowed)}"
    if not isinstance(name, str) or not _DOTTED.fullmatch(name) or not name.startswith(prefixes):
        raise UserError(f"{where}: got {shown(name)}, expected {words}{_remedy(name, allowed)}")
    found = _find(name, where)
    # A module also contains the names that it imports. A class must therefore be defined in an allowed module.
    if not inspect.isclass(found) or not f"{found.__module__}.".startswith(prefixes):
        raise UserError(f"{where}: {name} is not {words}")
    if isinstance(found, ABCMeta) and found.__abstractmethods__:
        missing = ", ".join(sorted(found.__abstractmethods__))
        raise UserError(f"{where}: {name} is abstract, without {missing}; name a class that defines these")
    return found


def _remedy(name: Any, allowed: Sequence[str]) -> str:
    if not isinstance(name, str):
        return ""
    if not _DOTTED.fullmatch(name):
        return "; write the module and its class, as in my_package.MyClass"
    root = name.partition(".")[0]
    known = {package.partition(".")[0] for package in allowed}
    return "" if root in known else f"; to use your own package, add allow=[{root}]"


def _find(name: str, where: str) -> Any:
    module_name, _, attribute = name.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # the target's module was found, but another module that it imports is missing
        root = name.partition(".")[0]
        raise UserError(
            f"{where}: got '{name}', but Python cannot find the module {module_name}{_near_module(module_name)}"
            + (f"; install {root}, or add the folder that contains it to PYTHONPATH" if error.name == root else "")
        ) from error
    if not hasattr(module, attribute):
        classes = [key for key, value in vars(module).items() if inspect.isclass(value)]
        raise UserError(f"{where}: {module_name} has no '{attribute}'{did_you_mean(attribute, classes)}")
    return getattr(module, attribute)


def _near_module(name: str) -> str:
    package_name, _, last = name.rpartition(".")
    try:
        package = importlib.import_module(package_name)
    except (ModuleNotFoundError, ValueError):
        return ""
    return did_you_mean(last, (entry.name for entry in pkgutil.iter_modules(getattr(package, "__path__", ()))))


# Parameters


def _parameters(target: type, path: str) -> dict[str, Any]:
    """Return the annotation of each parameter of the constructor; `Parameter.empty` if the annotation is unknown."""
    signature = inspect.signature(target)
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY}:
        raise UserError(
            f"{path}.{_TARGET}: the constructor of {_named(target)} must name its parameters "
            f"(no *args, **kwargs or positional-only parameters), so that misspelt keys are found"
        )
    hints = annotations_of(target)
    return {name: hints.get(name, inspect.Parameter.empty) for name in signature.parameters}


# Annotations


def _factory(annotation: Any) -> tuple[tuple[str, ...], Any]:
    """Return the parameters of a factory protocol and the class that it makes, or () and `annotation` if it is none."""
    for option in options(annotation):
        if inspect.isclass(option) and typing.Protocol in option.__bases__ and "__call__" in vars(option):
            call = vars(option)["__call__"]
            made = hints_of(call).get("return", inspect.Parameter.empty)
            return tuple(inspect.signature(call).parameters)[1:], typing.get_origin(made) or made
    return (), annotation


def _accepts(annotation: Any, target: type) -> bool:
    """Return whether an instance of `target` fits `annotation`."""
    classes = options(annotation)
    if not all(inspect.isclass(option) and option is not inspect.Parameter.empty for option in classes):
        return True
    return any(is_kind(target, option) for option in classes)


def _named(target: type) -> str:
    return f"{target.__module__}.{target.__qualname__}"
