"""Stateful processors as they are written for transformWithState, PySpark 4.3 (Row API unless said otherwise).

Every class is right with bug="" and wrong in one way with bug="<name>" (see BUGS of each and CASES at the bottom).
TimestampType columns reach a Row processor as naive datetimes in the zone of the Python process; state holds plain longs.
Key arguments are tuples with one entry per grouping column, as Spark passes them.
batch_xxx(df) computes from a whole pandas frame what the stream emits for rows that are not late, in OUTPUT_SCHEMA's
columns; compare without regard to the order of rows, floats with a tolerance.
"""
from datetime import datetime
from decimal import Decimal

import pandas as pd
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import (BooleanType, DecimalType, DoubleType, IntegerType, LongType, StringType, StructField,
                               StructType, TimestampType)


def schema(*fields):
    return StructType([StructField(n, t, True) for n, t in fields])


def micros(dt):
    """datetime (naive = local) -> microseconds since the epoch, without going through a float fraction."""
    return int(dt.replace(microsecond=0).timestamp()) * 1_000_000 + dt.microsecond


def from_micros(us):
    return datetime.fromtimestamp(us // 1_000_000).replace(microsecond=us % 1_000_000)


def frame(rows, out_schema):
    return pd.DataFrame(rows, columns=out_schema.fieldNames())


def _py(ts):
    return ts.to_pydatetime() if hasattr(ts, "to_pydatetime") else ts


# ------------------------------------------------------------------------------------------------ 1
class WelfordMean(StatefulProcessor):
    """Count, mean and sample variance of `reading` per sensor and tumbling event-time window, one row at the window's end.

    var is None for a single reading. Rows without a reading are skipped.
    Late rows: a row whose window has ended (end <= watermark) is dropped, nothing is emitted for it. A row older than
    the watermark whose window is still open is counted.
    """
    BUGS = ("timer_early",      # timer at end - 1
            "n_in_attr",        # the count lives in a dict of the object, mean and m2 in state
            "not_removed",      # the window stays in the map after it was emitted
            "population")       # divides by n where it should be n - 1
    INPUT_SCHEMA = schema(("sensor", StringType()), ("at", TimestampType()), ("reading", DoubleType()))
    OUTPUT_SCHEMA = schema(("sensor", StringType()), ("win_start", TimestampType()), ("win_end", TimestampType()),
                           ("n", LongType()), ("mean", DoubleType()), ("var", DoubleType()))
    KEY = ["sensor"]
    TIME_COLUMN = "at"

    def __init__(self, window_ms=300_000, bug=""):
        self.window_ms = window_ms
        self.bug = bug

    def init(self, handle):
        self.handle = handle
        self.stats = handle.getMapState("stats", schema(("start", LongType())),
                                        schema(("n", LongType()), ("mean", DoubleType()), ("m2", DoubleType())))
        self.counts = {}

    def handleInputRows(self, key, rows, timerValues):
        watermark = timerValues.getCurrentWatermarkInMs()
        for row in rows:
            if row.reading is None or row.reading != row.reading:
                continue
            at = micros(row.at) // 1000
            start = at - at % self.window_ms
            end = start + self.window_ms
            if end <= watermark:
                continue
            if self.stats.containsKey((start,)):
                n, mean, m2 = self.stats.getValue((start,))
            else:
                n, mean, m2 = 0, 0.0, 0.0
                self.handle.registerTimer(end - 1 if self.bug == "timer_early" else end)
            if self.bug == "n_in_attr":
                n = self.counts.get((key, start), 0)
            n += 1
            delta = row.reading - mean
            mean += delta / n
            m2 += delta * (row.reading - mean)
            self.counts[(key, start)] = n
            self.stats.updateValue((start,), (n, mean, m2))
        return iter(())

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        end = expiredTimerInfo.getExpiryTimeInMs()
        if self.bug == "timer_early":
            end += 1
        start = end - self.window_ms
        if not self.stats.containsKey((start,)):
            return
        n, mean, m2 = self.stats.getValue((start,))
        if self.bug == "n_in_attr":
            n = self.counts.get((key, start), 0)
        if self.bug == "population":
            var = m2 / n
        else:
            var = m2 / (n - 1) if n > 1 else None
        if self.bug != "not_removed":
            self.stats.removeKey((start,))
        yield Row(sensor=key[0], win_start=from_micros(start * 1000), win_end=from_micros(end * 1000),
                  n=n, mean=mean, var=var)

    def close(self):
        self.counts = {}


def batch_welford_mean(df, window_ms=300_000):
    df = df.dropna(subset=["reading"])
    ms = df["at"].map(lambda t: micros(_py(t)) // 1000)
    out = []
    for (sensor, start), g in df.assign(_s=ms - ms % window_ms).groupby(["sensor", "_s"]):
        var = g["reading"].var(ddof=1) if len(g) > 1 else None
        out.append((sensor, from_micros(int(start) * 1000), from_micros((int(start) + window_ms) * 1000), len(g),
                    float(g["reading"].mean()), None if var is None else float(var)))
    return frame(out, WelfordMean.OUTPUT_SCHEMA)


# ------------------------------------------------------------------------------------------------ 2
class TopN(StatefulProcessor):
    """The n dearest sales of a shop per tumbling window, with rank as SQL's RANK(): all rows with rank <= n, so equal
    prices at the cut are all kept. Emitted at the window's end (what="top").

    Late rows: a row whose window has ended (end <= watermark) comes out at once, what="late", rank None.
    """
    BUGS = ("late_lt",          # end < watermark
            "ties_lost",        # one row for a price
            "all_windows",      # the handler emits (and removes) every window it finds in state
            "timer_again")      # the handler registers the timer it was called for once more
    INPUT_SCHEMA = schema(("shop", StringType()), ("ts", LongType()), ("item", StringType()),
                          ("price", DecimalType(10, 2)))
    OUTPUT_SCHEMA = schema(("shop", StringType()), ("what", StringType()), ("win_start", LongType()),
                           ("rank", IntegerType()), ("item", StringType()), ("price", DecimalType(10, 2)))
    KEY = ["shop"]
    TIME_COLUMN = "ts"

    def __init__(self, n=3, window_ms=60_000, bug=""):
        self.n, self.window_ms, self.bug = n, window_ms, bug

    def init(self, handle):
        self.handle = handle
        self.sales = handle.getListState("sales", schema(("start", LongType()), ("item", StringType()),
                                                         ("price", DecimalType(10, 2))))

    def handleInputRows(self, key, rows, timerValues):
        watermark = timerValues.getCurrentWatermarkInMs()
        fresh, ends = [], set()
        for row in rows:
            start = row.ts // self.window_ms * self.window_ms
            end = start + self.window_ms
            late = end < watermark if self.bug == "late_lt" else end <= watermark
            if late:
                yield Row(shop=key[0], what="late", win_start=start, rank=None, item=row.item, price=row.price)
            else:
                fresh.append((start, row.item, row.price))
                ends.add(end)
        if fresh:
            self.sales.appendList(fresh)
            for end in sorted(ends):
                self.handle.registerTimer(end)

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        expiry = expiredTimerInfo.getExpiryTimeInMs()
        windows, rest = {}, []
        for start, item, price in self.sales.get():
            if self.bug == "all_windows" or start + self.window_ms == expiry:
                windows.setdefault(start, []).append((item, price))
            else:
                rest.append((start, item, price))
        if rest:
            self.sales.put(rest)
        else:
            self.sales.clear()
        if self.bug == "timer_again":
            self.handle.registerTimer(expiry)
        for start in sorted(windows):
            for rank, item, price in self._top(windows[start]):
                yield Row(shop=key[0], what="top", win_start=start, rank=rank, item=item, price=price)

    def _top(self, sales):
        if self.bug == "ties_lost":
            sales = [(item, price) for price, item in {price: item for item, price in sales}.items()]
        ordered = sorted(sales, key=lambda s: (-s[1], s[0]))
        rank, previous = 0, None
        for i, (item, price) in enumerate(ordered, 1):
            if price != previous:
                rank, previous = i, price
            if rank > self.n:
                return
            yield rank, item, price


def batch_top_n(df, n=3, window_ms=60_000):
    """The what="top" rows."""
    out = []
    for (shop, start), g in df.assign(_s=df["ts"] // window_ms * window_ms).groupby(["shop", "_s"]):
        prices = list(g["price"])
        for item, price in zip(g["item"], g["price"]):
            rank = 1 + sum(p > price for p in prices)
            if rank <= n:
                out.append((shop, "top", int(start), rank, item, price))
    out.sort(key=lambda r: (r[0], r[2], r[3], r[4]))
    return frame(out, TopN.OUTPUT_SCHEMA)


# ------------------------------------------------------------------------------------------------ 3
class IntervalJoin(StatefulProcessor):
    """Joins "left" and "right" rows of one (tenant, device) whose times are at most bound_ms apart (inclusive). A pair
    is emitted once, when its second row comes. Times are compared to the microsecond.

    A row waits in the list of its side until the watermark reaches its time + bound; no row that could still join it
    can come after that.
    Late rows: a row with ts <= watermark is dropped silently and joins nothing. Rows of another side are an error.
    """
    BUGS = ("pairs_twice",      # stores the whole batch first, then probes: a pair within a batch is found from both sides
            "not_removed",      # the lists are never cut
            "bound_exclusive",  # < bound
            "appended_twice")   # each row is appended by itself and again with the list of the batch
    SIDE = schema(("id", StringType()), ("ts", TimestampType()), ("val", DoubleType()))
    INPUT_SCHEMA = schema(("tenant", StringType()), ("device", LongType()), ("side", StringType()),
                          ("ts", TimestampType()), ("id", StringType()), ("val", DoubleType()))
    OUTPUT_SCHEMA = schema(("tenant", StringType()), ("device", LongType()), ("left", SIDE), ("right", SIDE),
                           ("apart_us", LongType()))
    KEY = ["tenant", "device"]
    TIME_COLUMN = "ts"

    def __init__(self, bound_ms=10_000, bug=""):
        self.bound_ms, self.bug = bound_ms, bug

    def init(self, handle):
        self.handle = handle
        kept = schema(("us", LongType()), ("id", StringType()), ("val", DoubleType()))
        self.sides = {"left": handle.getListState("left", kept), "right": handle.getListState("right", kept)}

    def handleInputRows(self, key, rows, timerValues):
        watermark_us = timerValues.getCurrentWatermarkInMs() * 1000
        waiting = {s: [tuple(r) for r in state.get()] for s, state in self.sides.items()}
        fresh = {"left": [], "right": []}
        arrived = []
        for row in rows:
            us = micros(row.ts)
            if us <= watermark_us:
                continue
            arrived.append((row.side, (us, row.id, row.val)))
            # rounded up: at the timer's time the watermark has surely reached us + bound
            self.handle.registerTimer(-(-us // 1000) + self.bound_ms)
        if self.bug == "pairs_twice":
            for side, r in arrived:
                waiting[side].append(r)
        for side, r in arrived:
            other = "right" if side == "left" else "left"
            for o in waiting[other]:
                pair = (r, o) if side == "left" else (o, r)
                if self._near(*pair):
                    yield self._joined(key, *pair)
            if self.bug != "pairs_twice":
                waiting[side].append(r)
            fresh[side].append(r)
            if self.bug == "appended_twice":
                self.sides[side].appendValue(r)
        for side, new in fresh.items():
            if new:
                self.sides[side].appendList(new)

    def _near(self, left, right):
        apart, bound = abs(left[0] - right[0]), self.bound_ms * 1000
        return apart < bound if self.bug == "bound_exclusive" else apart <= bound

    def _joined(self, key, left, right):
        tenant, device = key
        side = [Row(id=i, ts=from_micros(us), val=v) for us, i, v in (left, right)]
        return Row(tenant=tenant, device=device, left=side[0], right=side[1], apart_us=abs(left[0] - right[0]))

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        if self.bug == "not_removed":
            return iter(())
        dead_us = (timerValues.getCurrentWatermarkInMs() - self.bound_ms) * 1000
        for state in self.sides.values():
            rows = [tuple(r) for r in state.get()]
            keep = [r for r in rows if r[0] > dead_us]
            if not keep:
                state.clear()
            elif len(keep) < len(rows):
                state.put(keep)
        return iter(())


def batch_interval_join(df, bound_ms=10_000):
    """left and right are dicts in the frame."""
    out = []
    for (tenant, device), g in df.groupby(["tenant", "device"]):
        rows = [(r.side, micros(_py(r.ts)), r.id, r.val) for r in g.itertuples()]
        for _, lu, li, lv in (r for r in rows if r[0] == "left"):
            for _, ru, ri, rv in (r for r in rows if r[0] == "right"):
                if abs(lu - ru) <= bound_ms * 1000:
                    out.append((tenant, int(device), {"id": li, "ts": from_micros(lu), "val": lv},
                                {"id": ri, "ts": from_micros(ru), "val": rv}, abs(lu - ru)))
    return frame(out, IntervalJoin.OUTPUT_SCHEMA)


# ------------------------------------------------------------------------------------------------ 4
class Sorter(StatefulProcessor):
    """Holds the rows of an account back and gives them out in event-time order when the watermark reaches them, rows of
    the same time in order of arrival. pos numbers what an account has had emitted, from 0.

    Late rows: et <= watermark; dropped silently (their place in the order has gone by).
    """
    BUGS = ("unsorted",         # buffer order
            "unstable",         # rows of one time ordered by their payload
            "same_time_lost",   # one row for a time (the last)
            "buffer_attr",      # buffer is a dict of the object
            "first_timer_only") # a timer only if the buffer was empty
    PAYLOAD = schema(("kind", StringType()), ("amount", DecimalType(12, 2)))
    INPUT_SCHEMA = schema(("acct", LongType()), ("et", LongType()), ("payload", PAYLOAD))
    OUTPUT_SCHEMA = schema(("acct", LongType()), ("pos", LongType()), ("et", LongType()), ("payload", PAYLOAD))
    KEY = ["acct"]
    TIME_COLUMN = "et"

    def __init__(self, bug=""):
        self.bug = bug

    def init(self, handle):
        self.handle = handle
        self.buffer = handle.getListState("buffer", schema(("et", LongType()), ("kind", StringType()),
                                                           ("amount", DecimalType(12, 2))))
        self.emitted = handle.getValueState("emitted", schema(("n", LongType())))
        self.local = {}

    def _load(self, key):
        if self.bug == "buffer_attr":
            return list(self.local.get(key, ()))
        return [tuple(r) for r in self.buffer.get()]

    def _store(self, key, rows):
        if self.bug == "buffer_attr":
            self.local[key] = rows
        elif rows:
            self.buffer.put(rows)
        else:
            self.buffer.clear()

    def handleInputRows(self, key, rows, timerValues):
        watermark = timerValues.getCurrentWatermarkInMs()
        held = self._load(key)
        for row in rows:
            if row.et <= watermark:
                continue
            if not (self.bug == "first_timer_only" and held):
                self.handle.registerTimer(row.et)
            held.append((row.et, row.payload["kind"], row.payload["amount"]))
        self._store(key, held)
        return iter(())

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        # everything the watermark has reached goes out with the first timer; the others of this batch find nothing
        watermark = timerValues.getCurrentWatermarkInMs()
        held = self._load(key)
        due = [r for r in held if r[0] <= watermark]
        if not due:
            return
        self._store(key, [r for r in held if r[0] > watermark])
        if self.bug == "same_time_lost":
            due = list({r[0]: r for r in due}.values())
        if self.bug == "unstable":
            due.sort()
        elif self.bug != "unsorted":
            due.sort(key=lambda r: r[0])
        pos = self.emitted.get()[0] if self.emitted.exists() else 0
        self.emitted.update((pos + len(due),))
        for i, (et, kind, amount) in enumerate(due):
            yield Row(acct=key[0], pos=pos + i, et=et, payload=Row(kind=kind, amount=amount))


def batch_sorter(df):
    """df in order of arrival; payload passes through as it is."""
    out = df.sort_values("et", kind="stable").copy()
    out["pos"] = out.groupby("acct").cumcount()
    return out.sort_values(["acct", "pos"])[Sorter.OUTPUT_SCHEMA.fieldNames()].reset_index(drop=True)


# ------------------------------------------------------------------------------------------------ 5
class TtlSession(StatefulProcessor):
    """Sessions by processing time: a visitor's session is emitted and closed once gap_ms have gone by without a row.
    The state has a TTL well above the gap, only as a safety net; an update starts the TTL anew.

    There is no event time and so no late row. All rows of a micro-batch have that batch's processing time. Spark hands
    over rows before timers, so a row that comes when the gap is already over closes the old session itself and opens
    a new one.
    """
    BUGS = ("ttl_short",        # TTL = gap / 2
            "timer_left",       # the old timer is not deleted when the session is extended; handler closes whatever is there
            "state_left")       # session emitted, state not cleared
    INPUT_SCHEMA = schema(("visitor", StringType()), ("page", StringType()), ("seconds", DoubleType()))
    OUTPUT_SCHEMA = schema(("visitor", StringType()), ("opened_ms", LongType()), ("closed_ms", LongType()),
                           ("views", IntegerType()), ("seconds", DoubleType()))
    KEY = ["visitor"]
    TIME_COLUMN = None

    def __init__(self, gap_ms=30_000, bug=""):
        self.gap_ms, self.bug = gap_ms, bug

    def init(self, handle):
        self.handle = handle
        ttl = self.gap_ms // 2 if self.bug == "ttl_short" else self.gap_ms * 10
        self.session = handle.getValueState("session", schema(
            ("opened", LongType()), ("deadline", LongType()), ("views", IntegerType()), ("seconds", DoubleType())),
            ttlDurationMs=ttl)

    def handleInputRows(self, key, rows, timerValues):
        now = timerValues.getCurrentProcessingTimeInMs()
        views, seconds = 0, 0.0
        for row in rows:
            views += 1
            seconds += row.seconds or 0.0
        if not views:
            return
        opened, new_deadline = now, now + self.gap_ms
        if self.session.exists():
            old = self.session.get()
            if old[1] <= now:
                self.handle.deleteTimer(old[1])
                yield self._closed(key, old)
            else:
                if self.bug != "timer_left" and old[1] != new_deadline:
                    self.handle.deleteTimer(old[1])
                opened, views, seconds = old[0], old[2] + views, old[3] + seconds
        self.session.update((opened, new_deadline, views, seconds))
        self.handle.registerTimer(new_deadline)

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        if not self.session.exists():
            return
        current = self.session.get()
        if self.bug != "state_left":
            self.session.clear()
        yield self._closed(key, current)

    @staticmethod
    def _closed(key, s):
        return Row(visitor=key[0], opened_ms=s[0], closed_ms=s[1], views=s[2], seconds=s[3])


def batch_ttl_session(df, gap_ms=30_000):
    """df needs one column more than INPUT_SCHEMA: arrived_ms, the processing time of the row's batch."""
    out = []
    for visitor, g in df.sort_values("arrived_ms", kind="stable").groupby("visitor"):
        cur = None
        for at, sec in zip(g["arrived_ms"], g["seconds"]):
            at, sec = int(at), 0.0 if pd.isna(sec) else float(sec)
            if cur and at < cur[1]:
                cur = [cur[0], at + gap_ms, cur[2] + 1, cur[3] + sec]
            else:
                if cur:
                    out.append((visitor, *cur))
                cur = [at, at + gap_ms, 1, sec]
        out.append((visitor, *cur))
    return frame(out, TtlSession.OUTPUT_SCHEMA)


# ------------------------------------------------------------------------------------------------ 6
class PandasCount(StatefulProcessor):
    """For transformWithStateInPandas: rows per region and tumbling window, one frame of one row at the window's end.

    Late rows: a row whose window has ended (end <= watermark) is dropped silently; an old row of an open window counts.
    """
    BUGS = ("first_chunk",      # next(rows): only the first frame of the iterator
            "replaced")         # a frame's count replaces the stored one where it should be added to it
    INPUT_SCHEMA = schema(("region", StringType()), ("ts", LongType()), ("clicks", IntegerType()))
    OUTPUT_SCHEMA = schema(("region", StringType()), ("start", LongType()), ("end", LongType()), ("n", LongType()),
                           ("clicks", LongType()))
    KEY = ["region"]
    TIME_COLUMN = "ts"

    def __init__(self, window_ms=60_000, bug=""):
        self.window_ms, self.bug = window_ms, bug

    def init(self, handle):
        self.handle = handle
        self.open = handle.getMapState("open", "start bigint", "n bigint, clicks bigint")

    def handleInputRows(self, key, rows, timerValues):
        watermark = timerValues.getCurrentWatermarkInMs()
        for pdf in rows:
            if len(pdf):
                starts = pdf["ts"] // self.window_ms * self.window_ms
                in_time = starts + self.window_ms > watermark
                sums = pdf["clicks"].fillna(0)[in_time].groupby(starts[in_time]).agg(["size", "sum"])
                for start, n, clicks in sums.itertuples(name=None):
                    start, n, clicks = int(start), int(n), int(clicks)
                    if self.open.containsKey((start,)) and self.bug != "replaced":
                        old = self.open.getValue((start,))
                        n, clicks = old[0] + n, old[1] + clicks
                    self.open.updateValue((start,), (n, clicks))
                    self.handle.registerTimer(start + self.window_ms)
            if self.bug == "first_chunk":
                break
        return iter(())

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        end = expiredTimerInfo.getExpiryTimeInMs()
        start = end - self.window_ms
        if self.open.containsKey((start,)):
            n, clicks = self.open.getValue((start,))
            self.open.removeKey((start,))
            yield pd.DataFrame({"region": [key[0]], "start": [start], "end": [end], "n": [n], "clicks": [clicks]})


def batch_pandas_count(df, window_ms=60_000):
    starts = df["ts"] // window_ms * window_ms
    g = df.assign(start=starts, clicks=df["clicks"].fillna(0)).groupby(["region", "start"])["clicks"]
    out = g.agg(n="size", clicks="sum").reset_index()
    out["clicks"] = out["clicks"].astype("int64")
    out["end"] = out["start"] + window_ms
    return out[PandasCount.OUTPUT_SCHEMA.fieldNames()]


# ------------------------------------------------------------------------------------------------ 7
RUNNING_TOTAL_BUGS = ("timeout_once",   # timeout set only when the state is new (every call drops the timeout there was)
                      "not_removed")    # state not removed at the timeout
RUNNING_TOTAL_INPUT_SCHEMA = schema(("account", StringType()), ("ts", LongType()), ("cents", LongType()))
RUNNING_TOTAL_OUTPUT_SCHEMA = schema(("account", StringType()), ("total", LongType()), ("n", LongType()),
                                     ("closed", BooleanType()))
RUNNING_TOTAL_STATE_SCHEMA = schema(("total", LongType()), ("n", LongType()), ("last_ts", LongType()))


def make_running_total(bug="", idle_ms=60_000):
    """The function for groupBy("account").applyInPandasWithState(f, OUTPUT, STATE, "append", "EventTimeTimeout")."""

    def running_total(key, pdfs, state):
        """After each batch with rows in time: the account's running total (closed=False). When the watermark has gone
        past its newest row + idle_ms: the total once more (closed=True), and the account is forgotten. An account
        that is due when rows come in the same batch is closed first and begins again from 0.

        Late rows (ts <= watermark) are dropped silently.
        """
        def out(s, closed):
            return pd.DataFrame({"account": [key[0]], "total": [s[0]], "n": [s[1]], "closed": [closed]})

        if state.hasTimedOut:
            last = state.get
            if bug != "not_removed":
                state.remove()
            yield out(last, True)
            return

        watermark = state.getCurrentWatermarkMs()
        add, n, newest = 0, 0, None
        for pdf in pdfs:
            pdf = pdf[pdf["ts"] > watermark]
            if len(pdf):
                add += int(pdf["cents"].sum())
                n += len(pdf)
                top = int(pdf["ts"].max())
                newest = top if newest is None else max(newest, top)

        current = state.getOption
        if current is not None and current[2] + idle_ms < watermark:
            if bug != "not_removed":
                yield out(current, True)
                state.remove()
                current = None
        is_new = current is None
        if n:
            before = current or (0, 0, newest)
            current = (before[0] + add, before[1] + n, max(before[2], newest))
            state.update(current)
            yield out(current, False)
        if current is not None and (is_new or bug != "timeout_once"):
            # max: with not_removed the old newest row may be behind the watermark
            state.setTimeoutTimestamp(max(current[2] + idle_ms, watermark))

    return running_total


running_total = make_running_total()


def batch_running_total(df):
    """The closed=True rows, for data in which no account is idle so long that it is closed before its last row. (The
    closed=False rows depend on how the rows fall into batches; the last of an account has the same total and n.)"""
    out = df.groupby("account")["cents"].agg(total="sum", n="size").reset_index()
    out["closed"] = True
    return out[RUNNING_TOTAL_OUTPUT_SCHEMA.fieldNames()]


# ------------------------------------------------------------------------------------------------ 8
class WithInitialState(StatefulProcessor):
    """Points of a player as they add up: one row out for each row in, with the total after it. Begins with what the
    initial state holds; several initial rows of a player are summed.

    Time mode None: no timers, no late rows.
    """
    BUGS = ("overwritten",      # sets the state to 0 at the first rows of a key this object sees
            "twice",            # opening balance is in the total and is added to it again on output
            "last_wins")        # of several initial rows of a key the last is kept
    INPUT_SCHEMA = schema(("player", StringType()), ("match", IntegerType()), ("points", LongType()))
    INITIAL_SCHEMA = schema(("player", StringType()), ("points", LongType()))
    OUTPUT_SCHEMA = schema(("player", StringType()), ("match", IntegerType()), ("points", LongType()),
                           ("total", LongType()))
    KEY = ["player"]
    TIME_COLUMN = None

    def __init__(self, bug=""):
        self.bug = bug

    def init(self, handle):
        self.total = handle.getValueState("total", schema(("points", LongType())))
        self.opening = handle.getValueState("opening", schema(("points", LongType())))
        self.known = set()

    def handleInitialState(self, key, initialState, timerValues):
        points = initialState.points or 0
        if self.total.exists() and self.bug != "last_wins":
            points += self.total.get()[0]
        self.total.update((points,))
        self.opening.update((points,))

    def handleInputRows(self, key, rows, timerValues):
        if self.bug == "overwritten" and key not in self.known:
            self.known.add(key)
            self.total.update((0,))
        total = self.total.get()[0] if self.total.exists() else 0
        extra = self.opening.get()[0] if self.bug == "twice" and self.opening.exists() else 0
        for row in rows:
            total += row.points or 0
            yield Row(player=key[0], match=row.match, points=row.points, total=total + extra)
        self.total.update((total,))


def batch_with_initial_state(df, initial=None):
    """df in order of arrival; initial: frame in INITIAL_SCHEMA."""
    start = {} if initial is None or not len(initial) else initial.groupby("player")["points"].sum().to_dict()
    out = df[["player", "match", "points"]].copy()
    out["total"] = (out["points"].fillna(0).groupby(out["player"]).cumsum()
                    + out["player"].map(lambda p: start.get(p, 0))).astype("int64")
    return out.reset_index(drop=True)


# ------------------------------------------------------------------------------------------------
def _case(cls, batch, time_mode, late, api="transformWithState", **more):
    return dict(cls=cls, bugs=cls.BUGS, input_schema=cls.INPUT_SCHEMA, output_schema=cls.OUTPUT_SCHEMA, key=cls.KEY,
                time_column=cls.TIME_COLUMN, time_mode=time_mode, output_mode="append", late=late, api=api,
                batch=batch, **more)


CASES = {
    "WelfordMean": _case(WelfordMean, batch_welford_mean, "EventTime", "dropped: window end <= watermark",
                         args={"window_ms": 300_000}, order_matters=False),
    "TopN": _case(TopN, batch_top_n, "EventTime", "emitted what='late': window end <= watermark",
                  args={"n": 3, "window_ms": 60_000}, order_matters=False),
    "IntervalJoin": _case(IntervalJoin, batch_interval_join, "EventTime", "dropped: ts <= watermark",
                          args={"bound_ms": 10_000}, order_matters=False),
    "Sorter": _case(Sorter, batch_sorter, "EventTime", "dropped: et <= watermark", args={},
                    order_matters=True),  # among rows of one key and one time
    "TtlSession": _case(TtlSession, batch_ttl_session, "ProcessingTime", "none", args={"gap_ms": 30_000},
                        order_matters=False, batch_needs="arrived_ms"),
    "PandasCount": _case(PandasCount, batch_pandas_count, "EventTime", "dropped: window end <= watermark",
                         api="transformWithStateInPandas", args={"window_ms": 60_000}, order_matters=False),
    "running_total": dict(factory=make_running_total, bugs=RUNNING_TOTAL_BUGS, input_schema=RUNNING_TOTAL_INPUT_SCHEMA,
                          output_schema=RUNNING_TOTAL_OUTPUT_SCHEMA, state_schema=RUNNING_TOTAL_STATE_SCHEMA,
                          key=["account"], time_column="ts", time_mode="EventTimeTimeout", output_mode="append",
                          late="dropped: ts <= watermark", api="applyInPandasWithState", batch=batch_running_total,
                          args={"idle_ms": 60_000}, order_matters=False, batch_covers="rows with closed=True"),
    "WithInitialState": _case(WithInitialState, batch_with_initial_state, "None", "none", args={},
                              order_matters=True, initial_schema=WithInitialState.INITIAL_SCHEMA),
}
