// How much one device may ask of the verifier: tokens a minute, as a bucket that fills steadily.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ferry::server {

class TokenQuota {
 public:
  explicit TokenQuota(int64_t per_minute) : per_minute_(per_minute) {}
  // Takes `tokens` from `device`'s bucket when it is not empty (a long context may overdraw it).
  // Else how many milliseconds until it is not, and takes nothing. 0: taken.
  int64_t Take(const std::string& device, int64_t tokens, int64_t now_ms);
  // Forgets devices whose buckets are full again.
  void Sweep(int64_t now_ms);
  size_t size() const { return buckets_.size(); }

 private:
  struct Bucket {
    double level = 0;
    int64_t at_ms = 0;
  };
  void Fill(Bucket& bucket, int64_t now_ms) const;
  int64_t per_minute_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace ferry::server
