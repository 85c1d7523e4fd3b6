"""The table that ends the demo. All of it is read from devices' status and from the server."""


def _timeline(package):
    return " > ".join(f"{item['version'].split('.')[0]}" + ("" if item["how"] == "full" else f" ({item['how']})")
                      for item in package.get("timeline", []))


def rows(job):
    for name, device in job.devices.items():
        status = device.status()
        package = status.get("packages", {}).get("digits", {})
        profile = device.profile
        latency = package.get("latency_us") or {}
        of_accuracy = (job.accuracy or {}).get("devices", {}).get(device.id)
        yield [name, f"{profile['os']} {profile['app_version']} {profile['device_class']}", _timeline(package) or "-",
               str(package.get("inferences", 0)), f"{of_accuracy['accuracy']:.4f}" if of_accuracy else "-",
               f"{latency['p50']:.0f} / {latency['p99']:.0f}" if latency else "-",
               str(status.get("bytes", {}).get("full", 0)), str(status.get("bytes", {}).get("delta", 0))]


def print_table(job):
    headings = ["device", "profile", "versions", "inferences", "accuracy", "p50 / p99 us", "full bytes", "delta bytes"]
    table = [headings, *rows(job)]
    widths = [max(len(row[column]) for row in table) for column in range(len(headings))]
    print("\n== 9. What ran where")
    for row in table:
        print("   " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    if job.accuracy:
        print(f"   accuracy over all images: {job.accuracy['accuracy']:.4f} ({job.accuracy['right']} of {job.accuracy['rows']})")
