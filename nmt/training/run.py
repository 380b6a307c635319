"""One training run, from a validated config to a folder with checkpoints, scores, translations and pictures."""

from __future__ import annotations

import json
import logging
import os
import signal
import time
import warnings
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import Callback, Timer
from pytorch_lightning.loggers import TensorBoardLogger
from rich.console import Console

from nmt import checkpoint as checkpoints
from nmt import machine, process
from nmt.atomic import write_atomically
from nmt.build import (
    build_metrics,
    build_model,
    build_objective,
    build_optimizer,
    build_schedule,
    build_search,
    build_source,
    search_node,
)
from nmt.config.recipe import Recipe
from nmt.config.settings import TrainConfig
from nmt.data.corpus import load_corpus, origin
from nmt.data.datamodule import TranslationData
from nmt.data.encoded import Filters, encode, encode_corpus
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.evaluation.split import Evaluation, Subject, evaluate, table, write_evaluation
from nmt.lines import digest
from nmt.models.dropout import Dropout
from nmt.training.checkpointing import (
    AtomicCheckpointIO,
    Checkpointing,
    EarlyStop,
    Generators,
    GracefulStop,
    Interrupted,
)
from nmt.training.module import TranslationModule, validation_search
from nmt.training.progress import TrainingProgress
from nmt.training.samples import Samples, save_maps
from nmt.translate import Translator

METRICS = "metrics.json"
# By the state that a run goes on from.
REMEMBERED = ("seed", "tokenizer", "model", "optimizer", "callbacks", "scores")


def train(recipe: Recipe, *, resume: bool = False) -> dict[str, Any]:
    """Train what `recipe` describes, in its folder; return the content of metrics.json.

    With `resume` the run in the folder continues from its last.ckpt. Raises UserError for what a user can correct, and
    `Interrupted` after a Ctrl-C, when last.ckpt holds the state of the run.
    """
    return Run(recipe.settings, dict(recipe.plain), recipe.folder, resume=resume).run()


class Run:
    """The parts of a training run, put together in the order in which they are needed."""

    def __init__(self, config: TrainConfig, plain: dict[str, Any], folder: Path, *, resume: bool) -> None:
        process.speed_up()
        machine.forget_peak_memory()
        self.config = config
        self.plain = plain
        self.folder = folder
        self.started = time.monotonic()
        self.commit = machine.commit(Path(__file__).parent)  # now: the code may be edited while it runs
        self.console = Console()
        self.say = logging.getLogger("nmt.train").info
        self.checkpointing = Checkpointing(folder / "checkpoints", config.callbacks)
        self.resume = resume
        last = self._last_payload() if resume else None
        pl.seed_everything(config.seed, verbose=False)
        self.source = build_source(config.data, allow=config.allow)
        self.corpus = load_corpus(self.source, config.data)
        self.val = list(self.corpus["val"])
        corpus_sha256 = digest(self.corpus["train"].digest, self.corpus["val"].digest)
        if last is not None and last["corpus_sha256"] != corpus_sha256:
            raise UserError(
                f"resume={self.folder}: the training or validation pairs are not those that this run began with; put "
                "them back, or start a new run"
            )
        self.translator = self._translator(last)
        tokenizer = self.translator.tokenizer
        filters = Filters(config.data.max_length, config.data.max_ratio)
        train = encode_corpus(self.corpus["train"], tokenizer, filters, folder=cache_folder())
        self.data = TranslationData(train, encode(self.val, tokenizer), config.data, seed=config.seed)
        self.metrics = build_metrics(config.scores, target_lang=config.data.target_lang, allow=config.allow)
        self.timer = Timer(config.trainer.max_time, interval="step")
        self.module = TranslationModule(
            self.translator,
            self.val,
            config,
            plain,
            timer=self.timer,
            corpus_sha256=corpus_sha256,
            objective=build_objective(plain["objective"], allow=config.allow),
            optimizer=lambda parameters: build_optimizer(plain["optimizer"], parameters, allow=config.allow),
            schedule=build_schedule(plain["scheduler"], allow=config.allow),
            metrics=self.metrics,
        )
        self.trainer = self._trainer()

    def run(self) -> dict[str, Any]:
        """Train, choose the weights, score them, and write what is to be kept."""
        try:
            return self._run()
        except (Interrupted, KeyboardInterrupt, SystemExit) as stop:  # Lightning makes the second into the third
            if not self.checkpointing.last.is_file():
                raise KeyboardInterrupt from stop
            self.say(f"stopped; update {self.checkpointing.saved:,} is saved")
            raise (stop if isinstance(stop, Interrupted) else Interrupted(signal.SIGINT)) from stop

    def _run(self) -> dict[str, Any]:
        self.say(f"run folder: {self.folder}")
        self.say(
            f"model: {self.parameters():,} parameters, vocabulary {self.translator.tokenizer.target_vocab_size:,}, "
            f"{len(self.data.train_dataloader()):,} batches an epoch"
        )
        before = time.monotonic()
        self.trainer.fit(
            self.module,
            datamodule=self.data,
            ckpt_path=self.checkpointing.last if self.resume else None,
            weights_only=True,
        )
        self.fitted = time.monotonic() - before
        if self.module.validation.update != self.trainer.global_step:
            self.trainer.validate(self.module, datamodule=self.data, verbose=False)
        if not self.trainer.is_global_zero:
            return {}
        self._choose_weights()
        scored = self._score()
        result = self._report(scored)
        samples = scored["val"].translations[: self.config.callbacks.sample_sentences]
        save_maps(self.translator, samples, self.folder / "attention")
        text = json.dumps(result, indent=2, ensure_ascii=False) + "\n"
        write_atomically(self.folder / METRICS, text.encode())
        for path in self.checkpointing.recent_paths():  # until here the run could be resumed
            path.unlink(missing_ok=True)
        self._show(scored)
        return result

    def parameters(self) -> int:
        """Return the number of trained weights; tied ones count once."""
        return sum(p.numel() for p in self.translator.model.parameters())

    def _last_payload(self) -> dict[str, Any]:
        if (self.folder / METRICS).is_file():
            raise UserError(f"resume={self.folder}: this run has come to its end (see its {METRICS}); start a new one")
        if not self.checkpointing.last.is_file():
            raise UserError(
                f"resume={self.folder}: nothing to go on from: it holds no checkpoints/last.ckpt; start the run anew"
            )
        for part in self.checkpointing.folder.glob(".*.part"):  # a write that was killed
            part.unlink(missing_ok=True)
        last = checkpoints.load(self.checkpointing.last)
        if "corpus_sha256" not in last:
            raise UserError(
                f"resume={self.folder}: its checkpoints/last.ckpt holds weights but not where the training stood (is "
                "it a copy of best.ckpt?); put the run's own back, or start a new run"
            )
        changed = [key for key in REMEMBERED if self.plain.get(key) != last["nmt"]["config"].get(key)]
        if changed:
            raise UserError(
                f"resume={self.folder}: {', '.join(changed)} in config.yaml changed since, but last.ckpt goes on with "
                "what it was; change it back, or start a new run"
            )
        return last

    def _translator(self, last: dict[str, Any] | None) -> Translator:
        if last is not None:
            tokenizer = Tokenizer.from_state(last["nmt"]["tokenizer"])
        else:
            tokenizer = Tokenizer.train(self.corpus["train"], self.config.tokenizer, cache_dir=cache_folder())
        model = build_model(
            self.plain["model"],
            source_vocab_size=tokenizer.source_vocab_size,
            target_vocab_size=tokenizer.target_vocab_size,
            joint=tokenizer.joint,
            allow=self.config.allow,
        )
        if self.config.data.overfit:
            without_dropout(model)
        return Translator(model, tokenizer, build_search(self.config.search, allow=self.config.allow))

    def _trainer(self) -> pl.Trainer:
        settings = self.config.callbacks
        callbacks: list[Callback] = [self.timer, Generators()]
        if settings.sample_sentences:
            callbacks.append(Samples(settings.sample_sentences))
        callbacks.append(TrainingProgress(self.console, self.say))
        if settings.early_stopping_patience is not None:
            callbacks.append(EarlyStop(settings.early_stopping_patience))
        callbacks += [self.checkpointing, GracefulStop(self.checkpointing)]
        logger = EventLog(self.folder, name="", version="") if self.config.logger.tensorboard else False
        quiet_lightning()
        try:
            trainer = self._lightning(callbacks, logger)
        except (ValueError, TypeError, ModuleNotFoundError, MisconfigurationException) as error:
            asked = self.config.trainer
            raise UserError(
                f"trainer: got accelerator={asked.accelerator}, devices={asked.devices}, which do not go here: "
                f"{' '.join(str(error).split())}"
            ) from error
        self._check_shares(trainer.world_size)
        return trainer

    def _check_shares(self, ranks: int) -> None:
        """Raise UserError where there is not a batch for every process, or not a validation in every epoch."""
        batches, interval = len(self.data.train_dataloader()) // ranks, self.config.trainer.val_check_interval
        if not batches or len(self.val) < ranks:
            raise UserError(
                f"trainer.devices: got {ranks} processes for {len(self.data.train_dataloader())} training batches and "
                f"{len(self.val)} validation pairs, expected at least one of each for all; use fewer devices"
            )
        if isinstance(interval, int) and interval > batches and self.config.trainer.check_val_every_n_epoch is not None:
            raise UserError(
                f"trainer.val_check_interval: got {interval} batches, but an epoch has {batches}; use at most that, or "
                "trainer.check_val_every_n_epoch=null to count over epochs"
            )

    def _lightning(self, callbacks: list[Callback], logger: EventLog | bool) -> pl.Trainer:
        config = self.config.trainer
        return pl.Trainer(
            max_epochs=config.max_epochs if config.max_epochs is not None else -1,
            max_steps=config.max_steps,
            accelerator=config.accelerator,
            devices=config.devices,
            strategy=config.strategy,
            precision=config.precision,
            gradient_clip_val=config.gradient_clip_val,
            accumulate_grad_batches=config.accumulate_grad_batches,
            val_check_interval=config.val_check_interval,
            check_val_every_n_epoch=config.check_val_every_n_epoch,
            log_every_n_steps=config.log_every_n_steps,
            callbacks=callbacks,
            logger=logger,
            plugins=[AtomicCheckpointIO()],
            default_root_dir=self.folder,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            use_distributed_sampler=False,
        )

    def _choose_weights(self) -> None:
        """Leave the better of best and averaged weights, by greedy validation, in best.ckpt and in the model."""
        model = self.translator.model.to(self.trainer.strategy.root_device)  # Lightning has moved it to the CPU
        self.averaged = False
        best = checkpoints.load(self.checkpointing.best)
        recent = self.checkpointing.recent_paths()
        if len(recent) > 1:
            averaged = checkpoints.average(recent)
            load_weights(model, averaged)
            search = validation_search(self.translator.search)
            translations = self.translator.translate([pair.source for pair in self.val], search=search)
            scores = self.module.score(translations)
            metric = scores.metrics[self.module.monitor]
            value, single = scores[self.module.monitor].value, self.checkpointing.best_scores[self.module.monitor]
            better = value > single if metric.higher_is_better else value < single
            self.say(
                f"average of the last {len(recent)} checkpoints: validation {metric.label} {value:.2f}; best single "
                f"one (update {self.checkpointing.best_update:,}): {single:.2f}; "
                f"kept the {'average' if better else 'single one'}"
            )
            if better:
                self.averaged = True
                best["state_dict"] = averaged
                values = {name: found.value for name, found in scores.items()}
                best["nmt"]["scores"] = {"val": values, "averaged_updates": list(self.checkpointing.recent)}
                checkpoints.save(best, self.checkpointing.best)
        load_weights(model, best["state_dict"])

    def _score(self) -> dict[str, Evaluation]:
        """Decode validation and test with the configured search, and write both."""
        scored: dict[str, Evaluation] = {}
        data = self.config.data
        for split in ("val", "test"):
            if split not in self.corpus:
                self.say("the corpus has no test split: validation scores only")
                continue
            subject = Subject(
                split=split,
                source_lang=data.source_lang,
                target_lang=data.target_lang,
                data=origin(self.source, data, split),
            )
            scored[split] = evaluate(self.translator, list(self.corpus[split]), self.metrics, subject, bootstrap=1000)
            written = write_evaluation(self.folder, scored[split])
            self.say(f"translations of {split}: {written.hypothesis}")
        return scored

    def _report(self, scored: dict[str, Evaluation]) -> dict[str, Any]:
        totals = self.module.run_totals()
        return {
            **{split: evaluation.scores.to_dict() for split, evaluation in scored.items()},
            "sentences": {split: len(evaluation.references) for split, evaluation in scored.items()},
            "parameters": self.parameters(),
            "target_tokens_per_second": totals.tokens_per_second * self.trainer.world_size,
            "padding_share": totals.padding_share,
            "peak_memory_bytes": machine.peak_memory_bytes(),
            "epochs": round(totals.batches / len(self.data.train_dataloader()), 3),
            "updates": self.trainer.global_step,
            "best_update": self.checkpointing.best_update,
            "averaged": self.averaged,
            "wall_seconds": self.timer.time_elapsed(),  # of training and its validations, over interruptions
            "total_seconds": self.timer.time_elapsed() + time.monotonic() - self.started - self.fitted,
            "seed": self.config.seed,
            "name": self.config.name,
            "search": search_node(self.translator.search),
            "versions": machine.versions(),
            "hardware": machine.describe(self.trainer.strategy.root_device, self.trainer.world_size),
            "commit": self.commit,
            "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        }

    def _show(self, scored: dict[str, Evaluation]) -> None:
        for evaluation in scored.values():
            self.say(table(evaluation))
        self.say(f"run folder: {self.folder}")


class EventLog(TensorBoardLogger):
    """TensorBoard events alone: the run's config.yaml already says what Lightning would write to hparams.yaml."""

    def save(self) -> None:
        """Flush the events."""
        self.experiment.flush()


def without_dropout(model: torch.nn.Module) -> None:
    """Switch every dropout off: what is to be learnt by heart is not to be blurred."""
    for module in model.modules():
        if isinstance(module, Dropout):
            module.p = 0.0


def load_weights(model: torch.nn.Module, weights: dict[str, torch.Tensor]) -> None:
    """Put a checkpoint's weights into a model."""
    model.load_state_dict({name.removeprefix(checkpoints.PREFIX): value for name, value in weights.items()})


def cache_folder() -> Path:
    """Return where tokenizers are cached: $NMT_CACHE, or `nmt` in the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(os.environ.get("NMT_CACHE") or f"{base}/nmt"))


def quiet_lightning() -> None:
    """Keep Lightning's tips and notes, which are not about this run, off the terminal."""
    for name in ("pytorch_lightning", "lightning_fabric"):
        logging.getLogger(name).setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module=r"(pytorch_lightning|lightning_fabric|torch\.utils\._pytree)")
