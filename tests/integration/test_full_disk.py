"""What a training leaves behind on a disk that becomes full."""

from unittest.mock import Mock

import pytest

from nmt.cli import train as train_program
from nmt.errors import UserError
from nmt.system.run_files import best_checkpoint, checkpoint_folder, last_checkpoint
from tests.integration.small_training import NO_AVERAGE, SMALL_TRANSFORMER, go

FEW = [*SMALL_TRANSFORMER, "trainer.max_epochs=1", NO_AVERAGE]


@pytest.mark.slow
def test_a_disk_that_is_full_for_the_curves_alone_ends_no_training(tmp_path, monkeypatch, capsys):
    written = []

    def write(self, content):
        written.append(content)
        if len(written) > 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("tensorboard.summary.writer.record_writer.RecordWriter.write", write)
    metrics = go(tmp_path / "run", *FEW)
    assert metrics["epochs"] == 1
    log = (tmp_path / "run" / "train.log").read_text("utf-8")
    assert log.count("No space left on device; the run goes on, but TensorBoard gets no more of it") == 2  # and HPARAMS
    out, err = capsys.readouterr()
    assert "No space left" in out and err == ""


def test_weights_without_the_state_of_training_are_kept_and_used(tmp_path, monkeypatch, capsys):
    """The first best checkpoint fits on the disk, and the larger state of training does not."""
    folder = tmp_path / "run"
    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space left"):
        patch.setattr("nmt.training.lightning.save_state", Mock(side_effect=OSError(28, "No space left on device")))
        go(folder, *FEW)
    assert f"init={folder} starts a new run from it, in another folder" in " ".join(capsys.readouterr().out.split())
    (weights,) = checkpoint_folder(folder).iterdir()
    before = weights.read_bytes()
    assert weights == best_checkpoint(folder)
    with pytest.raises(UserError, match=rf"start a new run from its weights, in another folder: init={folder}$"):
        train_program.main([f"resume={folder}"])
    with pytest.raises(UserError, match=rf"name another folder; there, init={folder} starts from the weights"):
        go(folder, *FEW)
    assert weights.read_bytes() == before
    assert go(tmp_path / "another", *FEW, f"init={folder}")["epochs"] == 1
    assert last_checkpoint(tmp_path / "another").is_file()
