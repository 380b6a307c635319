"""Nodes of `callbacks` become callbacks; every mistake in them is one clear line."""

import copy

import pytest
from pytorch_lightning.callbacks import LearningRateMonitor

from nmt.build import build_callbacks
from nmt.config.compose import compose
from nmt.errors import UserError
from nmt.training.callbacks.checkpointing import Checkpointing
from nmt.training.callbacks.early_stopping import EarlyStopping


@pytest.fixture
def nodes():
    return copy.deepcopy(compose("train", ["callbacks=plain"])["callbacks"])


def test_null_leaves_one_out_and_extra_ones_come_last(nodes):
    nodes |= {"progress": None, "extra": {"rate": {"_target_": "pytorch_lightning.callbacks.LearningRateMonitor"}}}
    built = build_callbacks(nodes)
    assert [type(each) for each in built.values()] == [Checkpointing, EarlyStopping, LearningRateMonitor]
    assert list(built)[-1] == "extra.rate" and built["checkpointing"].average_last == 5


def test_a_shipped_one_is_a_class_of_ours(nodes):
    nodes["progress"]["_target_"] = "pytorch_lightning.callbacks.Timer"
    with pytest.raises(
        UserError, match=r"^callbacks\.progress\._target_: .* expected a class in nmt\.training\.callback"
    ):
        build_callbacks(nodes)
