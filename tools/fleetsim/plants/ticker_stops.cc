// A server that starts again watches its releases no more. See Backend::MakeRollout.
#include "tools/fleetsim/plants/plant.h"

namespace ferry::fleetsim {

extern const Plant kTickerStopsPlant = {"ticker_stops", "ticks stop after a restart of the server",
                                        "releases_end", nullptr, nullptr};

}  // namespace ferry::fleetsim
