// Columns of the reports. Private to sql/.
#pragma once

#define FERRY_REPORT_COLUMNS                                                               \
  "device, seq, release, epoch, step, package, version, error_code, error_text, time_ms, " \
  "received_ms, bytes_pulled, was_delta, by_push, previous_version, metrics"
