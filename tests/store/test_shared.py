"""Several processes that write in turn: each is the writer only while it changes something."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from graphmemix.errors import ArchiveBusyError, ArchiveReadOnlyError
from graphmemix.store import Store
from tests.store.conftest import Archives
from tests.store.contents import axis, entry, found


@pytest.fixture
def turns(make_store: Archives) -> tuple[Store, Store]:
    """Two handles of one archive, as of two processes."""
    return make_store(mode="shared", wait=0.0), make_store(mode="shared", wait=0.0)


def test_two_handles_write_in_turn(turns: tuple[Store, Store]) -> None:
    one, other = turns
    one.add([entry("a", "apple", [axis(0)])])
    other.add([entry("b", "pear", [axis(1)])])
    one.update(other.get("b"))
    assert [memory.id for memory in other.find()] == ["a", "b"]
    assert found(one, axis(1), limit=1) == ["b"]


def test_a_change_of_several_steps_keeps_others_out_and_readers_in(
    turns: tuple[Store, Store], make_store: Archives
) -> None:
    one, other = turns
    with one.writing():
        one.add([entry("a", "apple", [axis(0)])])
        with pytest.raises(ArchiveBusyError):
            other.add([entry("b")])
        with pytest.raises(ArchiveBusyError), other.writing(0):
            pass
        assert found(other, axis(0)) == ["a"]
        assert make_store(mode="read").count() == 1
        with one.writing(0):  # it is the writer already
            one.add([entry("c")])
    other.add([entry("b")])
    assert other.count() == 3


def test_one_that_keeps_the_archive_for_itself_shuts_others_out(make_store: Archives) -> None:
    with make_store() as alone:
        with alone.writing(0):
            pass
        shared = make_store(mode="shared", wait=0.0)  # it may open, and read
        with pytest.raises(ArchiveBusyError):
            shared.add([entry("a")])
    shared.add([entry("a")])


def test_threads_of_one_process_share_its_turn(turns: tuple[Store, Store]) -> None:
    one, other = turns
    inside, leave = Event(), Event()

    def change() -> None:
        with one.writing():
            inside.set()
            leave.wait()

    thread = Thread(target=change)
    thread.start()
    inside.wait()
    one.add([entry("a")])  # while another thread is inside
    with pytest.raises(ArchiveBusyError):
        other.add([entry("b")])
    leave.set()
    thread.join()
    other.add([entry("b")])
    assert one.count() == 2


def test_who_reads_only_has_no_turn(make_store: Archives) -> None:
    make_store().close()
    with pytest.raises(ArchiveReadOnlyError), make_store(mode="read").writing():
        pass


def test_an_erasure_leaves_nothing_while_another_handle_is_open(
    turns: tuple[Store, Store],
) -> None:
    one, other = turns
    one.add([entry("a", "apple", [axis(0)]), entry("b", "pear", [axis(1)])])
    assert sorted(found(other, axis(0))) == ["a", "b"]
    assert other.erase(["a"]).purged
    assert found(one, axis(0)) == ["b"]
