"""The facade of the use cases: everything that the screens and the command line can do with a store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from quizapp.bank.grade import grade as grade_response
from quizapp.bank.load import Bank, load_bank
from quizapp.bank.response import Response
from quizapp.clock import Clock, clock_from_environment
from quizapp.memory.day import StudyDays, UnknownZone, zone_named
from quizapp.memory.rating import CONFIDENCES, Confidence, Rating, RatingName, rate
from quizapp.memory.scheduler import Scheduler, SchedulerConfig
from quizapp.progress.shelf import Shelves
from quizapp.settings import Settings, read_settings, stored_value
from quizapp.store import log
from quizapp.store.database import Database
from quizapp.store.errors import StoreError
from quizapp.store.location import Location, locate
from quizapp.store.opening import open_store
from quizapp.study import answering, marking, overview, queue
from quizapp.study.filtering import Chooser
from quizapp.study.moment import Moment, instant, milliseconds
from quizapp.study.sync import checksum, sync_cards
from quizapp.study.undoing import Journal, Mark
from quizapp.study.upkeep import backup_of_the_day
from quizapp.study.values import BrowseRow, Card, CardInfo, Counts, Filter, HomeView, Outcome, Stats, Undone
from quizapp.text import clean


class Study:
    """One open store with its bank. Methods may be called from any thread; each runs in its own transaction.

    Every method that writes raises StoreError (a sentence for the person) when the store cannot be written.
    """

    def __init__(
        self, database: Database, bank: Bank, clock: Clock, location: Location, warnings: Sequence[str] = ()
    ) -> None:
        self.database = database
        self.bank = bank
        self.clock = clock
        self.location = location
        self.warnings: list[str] = list(warnings)
        self._wrote = False
        self._journal = Journal()
        self.exam_notice = ""
        """What became of a mock exam whose time ran out unseen, until Mock exam is opened; empty: nothing to say."""
        self._settings, said = self._load_settings()
        self.warnings += said
        self._rules = self._make_rules()
        self.shelves = Shelves(bank)
        self._chooser = Chooser(bank)
        self._checksum = checksum(bank)
        self._keep_in_line()
        self._warn_of_the_clock()

    @classmethod
    def open(
        cls,
        home: Path | None = None,
        db: str | None = None,
        banks: Sequence[Path] = (),
        clock: Clock | None = None,
    ) -> Study:
        """Opens (or makes) the store that `db`, `home`, QUIZAPP_HOME or the platform names, in this order.

        Raises StoreError for a store that is newer, damaged, foreign, locked, or cannot be made.
        """
        clock = clock or clock_from_environment()
        location = locate(home, db)
        try:
            now = clock.now()
        except (OSError, ValueError) as error:
            raise StoreError(f"The time cannot be told: {error}") from error
        opened = open_store(location, now)
        try:
            cache = None if opened.database.read_only else location.cache
            bank = load_bank(extra=tuple(banks), cache=cache)
            study = cls(opened.database, bank, clock, location, opened.warnings)
        except BaseException:
            opened.database.close()
            raise
        if bank.errors:
            count = len(bank.errors)
            study.warnings.append(
                f"{count} mistake{'s' if count > 1 else ''} in the question files; "
                "the good questions are loaded. See 'quizapp bank check'."
            )
        return study

    @property
    def read_only(self) -> bool:
        return self.database.read_only

    def wrote(self, review_id: int | None = None) -> None:
        """Says that something was stored, so that closing makes the day's backup; `review_id`: an answer to undo."""
        self._wrote = True
        if review_id is not None:
            self._journal.answered(review_id)

    def close(self) -> None:
        """Makes the day's backup if something was written, and lets the store go."""
        if self._wrote:
            try:
                backup_of_the_day(self.location, self.clock.now(), self._rules[0])
            except StoreError as error:
                self.warnings.append(str(error))
            self._wrote = False
        self.database.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Settings and time

    def settings(self) -> Settings:
        return self._settings.model_copy()

    def save_settings(self, **changes: object) -> Settings:
        """Raises pydantic's ValidationError for a value that is not allowed, UnknownZone for an unknown zone."""
        unknown = set(changes) - set(Settings.model_fields)
        if unknown:
            raise StoreError(f"There is no setting '{sorted(unknown)[0]}'; see Settings.")
        settings = Settings.model_validate({**self._settings.model_dump(), **changes})
        if "zone" in changes:
            zone_named(settings.zone)
        stored = settings.model_dump(mode="json")
        with self.database.writing() as connection:
            rows = [(name, json.dumps(stored[name])) for name in changes]
            connection.executemany("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", rows)
        self._wrote = True
        self._settings = settings
        self._rules = self._make_rules()
        return self.settings()

    def _load_settings(self) -> tuple[Settings, list[str]]:
        with self.database.reading() as connection:
            rows = connection.execute("SELECT name, value FROM setting").fetchall()
        return read_settings({name: stored_value(value) for name, value in rows})

    def _make_rules(self) -> tuple[StudyDays, Scheduler]:
        settings = self._settings
        try:
            zone = zone_named(settings.zone)
        except UnknownZone as error:
            self.warnings.append(f"{str(error)[0].upper()}{str(error)[1:]}; UTC is used until then.")
            zone = zone_named("UTC")
        config = SchedulerConfig(
            desired_retention=settings.desired_retention,
            fuzz=settings.fuzz,
            leech_threshold=settings.leech_threshold,
            exam_day=settings.exam_date.toordinal() if settings.exam_date else None,
        )
        if settings.fits:
            config = replace(config, parameters=settings.fits[-1])
        return StudyDays(zone, settings.rollover_hour), Scheduler(config)

    def moment(self) -> Moment:
        """Now, read afresh, with the rules in force."""
        days, scheduler = self._rules
        return Moment(self.clock.now(), days, scheduler, self._settings)

    def _warn_of_the_clock(self) -> None:
        with self.database.reading() as connection:
            last = log.last_instant(connection)
        now = self.clock.now()
        if last is not None and milliseconds(now) < last:
            zone = self._rules[0].zone
            self.warnings.append(
                f"The clock of this computer ({now.astimezone(zone):%Y-%m-%d %H:%M}) is before the last answer "
                f"({instant(last).astimezone(zone):%Y-%m-%d %H:%M}); no time is counted backwards. Check its date."
            )

    def _keep_in_line(self) -> bool:
        """Another process may have opened the store with another bank, or restored a backup, since we last looked."""
        return sync_cards(self.database, self.bank, self._checksum)

    def chosen_ids(self, filter: Filter) -> list[str] | None:
        """The questions that a filter chooses; None for all of them."""
        in_line = self._keep_in_line()
        ids = self._chooser.chosen(filter)
        return list(self.bank.questions) if ids is None and not in_line else ids

    # Studying

    def home(self) -> HomeView:
        """A mock exam whose time is over is handed in before anything is counted."""
        if not self.read_only and overview.exam_is_open(self.database):
            from quizapp.study.exams import hand_in_late

            hand_in_late(self)
        ids = self.chosen_ids(Filter())
        return overview.home(self.database, self.moment(), ids, len(self.bank.questions), self.exam_notice)

    def counts(self, filter: Filter = Filter()) -> Counts:
        return queue.counts(self.database, self.moment(), self.chosen_ids(filter), filter.flagged)

    def next_card(self, filter: Filter = Filter(), exclude: Sequence[str] = ()) -> Card | None:
        """The card to ask now; None when nothing is left (see `home().next_due_at`). `exclude` are question ids."""
        return queue.next_card(
            self.database, self.moment(), self.bank, self.chosen_ids(filter), filter.flagged, exclude
        )

    def answer(
        self,
        card: Card,
        response: Response,
        confidence: Confidence | None = None,
        duration_ms: int = 0,
        origin: str = "study",
    ) -> Outcome:
        """Grades and stores an answer; when this returns it is on the disk.

        Raises `bank.response.Unclear` for an ambiguous number and Conflict when the card was answered elsewhere: in
        both cases nothing is stored.
        """
        if confidence is not None and confidence not in CONFIDENCES:
            raise ValueError(f"confidence {confidence!r} is not one of {', '.join(CONFIDENCES)}")
        grade = grade_response(card.variant, response)
        rating = rate(float(grade.score), grade.correct, grade.blank, confidence, first=card.state == "new")
        outcome = answering.store_answer(
            self.database,
            self.moment(),
            card,
            response,
            grade,
            rating,
            (self.bank.content_hash(card.question.id), self.bank.key_hash(card.question.id)),
            confidence,
            duration_ms,
            origin,
        )
        self.wrote(outcome.review_id)
        return outcome

    def override(self, review_id: int, rating: RatingName) -> Outcome:
        """Rates the last answer to a question anew. The outcome has a new review id."""
        outcome = answering.override_rating(self.database, self.moment(), review_id, Rating.named(rating))
        self._wrote = True
        self._journal.rerated(review_id, outcome.review_id)
        return outcome

    def undo(self) -> Undone | None:
        """Takes back the last answer, suspension or bury of this window, then the newest answer, across restarts.

        Flags, notes and settings stay. None: nothing to take back.
        """
        moment = self.moment()
        review = self._journal.undo(self.database, moment)
        if review is None:
            return None
        self._wrote = True
        if isinstance(review, Mark):
            card = queue.reopen(self.database, moment, self.bank, review.question_id, None)
            return Undone(None, review.question_id, None, card, review.what, words=review.words)
        seed, given = review.seed if review.rating else None, instant(review.reviewed_at)
        card = queue.reopen(self.database, moment, self.bank, review.question_id, seed)
        local = given.astimezone(moment.days.zone)
        return Undone(review.id, review.question_id, json.loads(review.response), card, "answer", local)

    def settle_key(self, question_id: str, keep: bool) -> None:
        """After a changed key: keep the progress, or begin the card again. `undo` takes it back."""
        hashes = (self.bank.content_hash(question_id), self.bank.key_hash(question_id))
        self.wrote(answering.store_decision(self.database, self.moment(), question_id, hashes, keep))

    # Marking

    def flag(self, question_id: str, on: bool, reason: str = "") -> None:
        self._mark(question_id, "flag", {"flagged": on, "flag_reason": clean(reason) if on else ""})

    def suspend(self, question_id: str, on: bool) -> None:
        before = self._mark(question_id, "suspend", {"suspended": on})
        if before is not None:
            self._journal.marked(question_id, "suspend", before)

    def bury(self, question_id: str, on: bool = True) -> None:
        """Puts a question off until the next study day."""
        before = self._mark(question_id, "bury", {"buried_on": self.moment().today if on else None})
        if before is not None:
            self._journal.marked(question_id, "bury", before)

    def note(self, question_id: str, text: str) -> None:
        """The learner's own note; empty removes it."""
        self._mark(question_id, "note", {"note": clean(text)})

    def _mark(self, question_id: str, what: str, values: dict[str, object]) -> dict[str, object] | None:
        before = marking.mark(self.database, self.moment(), question_id, what, values)
        self._wrote = True
        return before

    # Looking

    def browse(self, filter: Filter = Filter()) -> list[BrowseRow]:
        """In the bank's order."""
        chosen = self.chosen_ids(filter)
        return overview.browse(self.database, self.bank.questions if chosen is None else chosen, filter.flagged)

    def card_info(self, question_id: str) -> CardInfo:
        """Raises StoreError for a question that was never in the bank."""
        return overview.card_info(self.database, self.moment(), self.bank, question_id)

    def stats(self) -> Stats:
        return overview.stats(self.database, self.moment())
