"""The floors of networks and products, filled with what was measured."""
import report
from floors import Floor

INTEL_MEAN, AVX2_MEAN = 1.2, 1.15  # ONNX Runtime's time over ours, float32
ASKED_THREADS = (1, 4)
INT8_MEAN = 1.72  # on Intel with VNNI, one thread
LOWEST = 0.95  # of any network
MORE_THREADS = 1.0  # time with more threads over that with fewer
INT8_WITHOUT_VNNI = 1.6  # float32's time over int8's, ResNet-50
PRODUCT_SHARE = 0.85  # of the peak of 256-bit fused multiply-adds
BF16_CUBE = "1024x1024x1024"
BF16_RATIO = 3.0  # float32's time over bfloat16's with AMX
AMX_INT8 = 1.5  # VNNI's time over that of AMX, ResNet-50
MOST_SHARE = 1.02  # above which the peak cannot be one
RESNET = "resnet50"
NARROW = ("reference", "avx2")  # sets of instructions that ONNX Runtime goes beyond on wide hosts

# Large products and those of BERT and ViT: rows x columns x depth.
PRODUCTS = ("512x512x512", "1024x1024x1024", "256x768x768", "256x3072x768", "256x768x3072",
            "197x192x768", "197x768x192")


def measured(rows, kind, threads):
    """The rows of a kind that have both engines' figures with so many threads."""
    return [row for row in rows if row["kind"] == kind and "error" not in row and
            {"ferry", "onnxruntime"} <= row["threads"].get(str(threads), {}).keys()]


def times(row, threads):
    found = row["threads"][str(threads)]
    return found["ferry"]["median_ms"], found["onnxruntime"]["median_ms"]


def is_busy(row, *threads):
    return any(row.get("machine", {}).get(str(t), {}).get("busy") for t in threads)


def plural(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def mean_limit(kind, threads, host):
    """What the geometric mean has to be on this host, or None."""
    if kind == "int8":
        return INT8_MEAN if host.is_intel() and threads == 1 else None
    if threads not in ASKED_THREADS:
        return None
    return INTEL_MEAN if host.is_intel() else AVX2_MEAN if host.is_avx2() else None


def against_peer(rows, kind, threads, host, isa):
    """The mean and the lowest of the ratios. A peer that cannot be held to --isa is not judged by."""
    found = measured(rows, kind, threads)
    if not found:
        return []
    judged = not (isa in NARROW and host.is_wide())
    why = "" if judged else "ONNX Runtime takes wider instructions here; "
    ratios = {row["network"]: times(row, threads)[1] / times(row, threads)[0] for row in found}
    lowest = min(ratios, key=ratios.get)
    limit = mean_limit(kind, threads, host)
    what = f"{kind}, {plural(threads)}"
    return [Floor(f"{what}: geometric mean of {len(found)}",
                  report.geometric_mean(list(ratios.values())), limit, judged=judged,
                  note=why + ("" if limit else f"no floor on this host ({host})"),
                  busy=any(is_busy(row, threads) for row in found)),
            Floor(f"{what}: lowest network", ratios[lowest], LOWEST, judged=judged,
                  note=why + lowest,
                  busy=any(is_busy(row, threads) for row in found if row["network"] == lowest))]


def more_threads(rows, kind, fewer, more, cores):
    both = [row for row in rows if row["kind"] == kind and all(
        "ferry" in row["threads"].get(str(count), {}) for count in (fewer, more))]
    if not both:
        return []
    slower = {row["network"]: row["threads"][str(more)]["ferry"]["median_ms"] /
              row["threads"][str(fewer)]["ferry"]["median_ms"] for row in both}
    worst = max(slower, key=slower.get)
    few_cores = more > cores
    return [Floor(f"{kind}: {more} over {plural(fewer)}, the slowest network", slower[worst],
                  MORE_THREADS, at_most=True, judged=not few_cores,
                  note=f"only {cores} cores; {worst}" if few_cores else worst,
                  busy=any(is_busy(row, fewer, more) for row in both if row["network"] == worst))]


def int8_without_vnni(rows, threads):
    """Where int8 kernels had to do without VNNI, ResNet-50 beside float32."""
    found = {row["kind"]: row for row in rows if "error" not in row and
             RESNET in row["network"] and "ferry" in row["threads"].get(str(threads), {})}
    if set(found) != {"float32", "int8"}:
        return []
    ours = {kind: row["threads"][str(threads)]["ferry"] for kind, row in found.items()}
    if ours["int8"].get("isa") not in ("avx2", "avx512"):
        return []
    return [Floor(f"{RESNET}, int8 without VNNI over float32, {plural(threads)}",
                  ours["float32"]["median_ms"] / ours["int8"]["median_ms"], INT8_WITHOUT_VNNI,
                  note=ours["int8"]["isa"], busy=any(is_busy(row, threads) for row in found.values()))]


def int8_beside_vnni(rows, threads):
    """On a host with AMX, where VNNI's kernels are measured beside."""
    found = []
    for row in rows:
        beside = row["threads"].get(str(threads), {})
        if RESNET in row["network"] and {"ferry", "ferry-vnni"} <= beside.keys():
            found.append(Floor(f"{row['network']}, int8 beside VNNI, {plural(threads)}",
                               beside["ferry-vnni"]["median_ms"] / beside["ferry"]["median_ms"],
                               AMX_INT8, note=beside["ferry"].get("isa", ""),
                               busy=is_busy(row, threads)))
    return found


def of_networks(rows, threads, host, cores, isa):
    asked = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        for count in threads:
            asked += against_peer(rows, kind, count, host, isa)
        counts = sorted(threads)
        for fewer, more in zip(counts, counts[1:]):
            asked += more_threads(rows, kind, fewer, more, cores)
    fewest = min(threads)
    return asked + int8_without_vnni(rows, fewest) + int8_beside_vnni(rows, fewest)


def of_bfloat16(results, host, busy):
    """A product of bfloat16 beside float32's, both with one instruction set."""
    speeds = {row["name"]: row["gflops"] for row in results if row["group"] == "gemm"}
    wide, narrow = speeds.get(BF16_CUBE), speeds.get("bf16 " + BF16_CUBE)
    if not wide or not narrow:
        return []
    has_amx = "amx_bf16" in host.flags
    return [Floor(f"product bf16 {BF16_CUBE} beside float32", narrow / wide,
                  BF16_RATIO if has_amx else None, busy=busy,
                  note=f"{narrow:.0f} GFLOP/s of {wide:.0f}" +
                       ("" if has_amx else "; a floor with AMX alone"))]


def of_products(results, isa, busy):
    """results: rows of ferry-bench's groups peak and gemm with this instruction set."""
    mine = [row for row in results if row["isa"] == isa]
    peak = next((row["gflops"] for row in mine if row["group"] == "peak"), None)
    asked = []
    for row in mine:
        if row["group"] != "gemm" or row["name"] not in PRODUCTS:
            continue
        share = row["gflops"] / peak if peak else None
        disturbed = share is not None and share > MOST_SHARE
        asked.append(Floor(f"product {row['name']}, {isa}, of the peak", share,
                           PRODUCT_SHARE if isa == "avx2" else None, unit="", busy=busy,
                           judged=not disturbed,
                           note=f"{row['gflops']:.1f} GFLOP/s" + (f" of {peak:.1f}" if peak else "")
                           + (": the peak was disturbed" if disturbed else "")))
    return asked
