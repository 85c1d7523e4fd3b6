// A mirror gives the bytes of another version.
#include "tools/fleetsim/faults/fault.h"

namespace ferry::fleetsim {

static void ApplyStaleContent(Moment& moment) {
  moment.download->stale = true;
}

extern const Fault kStaleContentFault = {"stale_content", Strikes::kDownload, 0.0005, 0.02,
                                         ApplyStaleContent};

}  // namespace ferry::fleetsim
