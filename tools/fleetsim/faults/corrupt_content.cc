// A mirror gives bytes of which some bits are flipped.
#include "tools/fleetsim/faults/fault.h"

namespace ferry::fleetsim {

static void ApplyCorruptContent(Moment& moment) {
  moment.download->corrupt = true;
}

extern const Fault kCorruptContentFault = {"corrupt_content", Strikes::kDownload, 0.0005, 0.02,
                                           ApplyCorruptContent};

}  // namespace ferry::fleetsim
