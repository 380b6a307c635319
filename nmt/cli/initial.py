"""The recipe of a new run, checked before its folder is made."""

from __future__ import annotations

from collections.abc import Sequence

from nmt.config.initial import adopted
from nmt.config.recipe import Recipe
from nmt.config.schema import validate


def checked(recipe: Recipe, overrides: Sequence[str]) -> Recipe:
    """Return the recipe that the command line `overrides` describes; with `init`, as `adopted` by its checkpoint.

    Raises the UserErrors of `nmt.preflight.check_nodes`, and for a checkpoint that cannot be read.
    """
    from nmt.preflight import check_nodes, initial_checkpoint  # here, because importing torch takes seconds

    if recipe.settings.init is not None:
        from nmt.checkpoint import load

        start = load(initial_checkpoint(recipe.settings)).config
        plain = adopted(recipe.plain, start, overrides)
        recipe = Recipe(validate(plain), plain, recipe.folder)
    check_nodes(recipe.settings)
    return recipe
