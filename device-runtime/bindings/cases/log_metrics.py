from ferry import log, metrics

log.debug("plain")
log.info("with fields", image=3, name="a b", values=[1, 2.5, None])
log.warning(12)
log.error(ValueError("x"))


def raises(kind, f, *args, **kwargs):
    try:
        f(*args, **kwargs)
    except kind:
        return
    raise AssertionError((kind, args, kwargs))


raises(TypeError, log.info)
raises(TypeError, log.info, "a", "b")
raises(ValueError, log.info, "a", bad=object())

metrics.count("runs")
metrics.count("runs", 4)
metrics.count("runs", by=5)
metrics.gauge("level", 0.5)
metrics.observe("latency", 12)
raises(TypeError, metrics.count)
raises(TypeError, metrics.gauge, "level")
raises(TypeError, metrics.gauge, "level", "high")
raises(ValueError, metrics.gauge, "", 1)
raises(ValueError, metrics.gauge, "runs", 1)
raises(ValueError, metrics.observe, "latency", float("nan"))
