"""An animation of a validation sentence's attention during a training, from the run's TensorBoard files."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from nmt.errors import UserError
from nmt.system.atomic import write_atomically

TAG = "attention/"  # of the pictures that `nmt.lab.callbacks.samples` writes; the number counts from 0
FRAME, LAST = 700, 3000  # milliseconds


def animate(run: Path, sentence: int, path: Path) -> list[int]:
    """Write a GIF with a frame for each validation of a run, and return the updates of the frames.

    `sentence` is the number of a validation sentence that the run shows in TensorBoard, counted from 1. A frame is the
    mean cross attention between the words of the translation that the model found at that time. Raises UserError for a
    run without such pictures or such a sentence.
    """
    from PIL import Image
    from tensorboard.backend.event_processing.event_accumulator import IMAGES, EventAccumulator

    events = EventAccumulator(str(run), size_guidance={IMAGES: 0}).Reload()
    numbers = [int(tag.removeprefix(TAG)) + 1 for tag in events.Tags()[IMAGES] if tag.startswith(TAG)]
    if not numbers:
        raise UserError(
            f"{run}: has no pictures of attention during its training; expected TensorBoard files "
            "(events.out.tfevents...) of a run with logger=tensorboard, callbacks.samples and a model with attention"
        )
    if sentence not in numbers:
        known = ", ".join(map(str, sorted(numbers)))
        raise UserError(f"sentence: got {sentence}, but the run has pictures of {known}; choose one of these")
    found = events.Images(f"{TAG}{sentence - 1}")
    pictures = [Image.open(BytesIO(each.encoded_image_string)).convert("RGB") for each in found]
    size = max(each.width for each in pictures), max(each.height for each in pictures)
    frames = [Image.new("RGB", size, "white") for _ in pictures]
    for frame, picture in zip(frames, pictures, strict=True):
        frame.paste(picture, (0, 0))
    file = BytesIO()
    times = [FRAME] * (len(frames) - 1) + [LAST]
    frames[0].save(file, format="gif", save_all=True, append_images=frames[1:], duration=times, loop=0)
    write_atomically(path, file.getvalue())
    return [each.step for each in found]
