// The parts of a request's head that decide whom it is for and whom it is from: target, Host,
// Origin, and what a proxy says of its client. Pure. Sources: RFC 3986 (percent encoding), RFC 9110
// section 7.2 (Host), RFC 6454 (Origin), RFC 7239 (Forwarded).
// ---- http/http_head.cc
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::net {

// Path and query of a target, percent decoded ('+' is a space in the query only).
void SplitTarget(std::string_view target, std::string* path,
                 std::map<std::string, std::string>* query);

// "localhost" or an address of the loopback network, without a port and without brackets. Any other
// name is none, whatever it begins with: "127.0.0.1.example.com" is its owner's.
bool IsLoopback(std::string_view host);

// Whether `host` (the header, with or without a port) may be this server: an address, "localhost"
// or one of `names`. A name of a stranger's that resolves to this machine (DNS rebinding) is not.
bool IsOwnHost(std::string_view host, const std::vector<std::string>& names);

// Whether a page of `origin` is this server's own, which was called as `host`.
bool IsOwnOrigin(std::string_view origin, std::string_view host);

// Who calls through a proxy: the last address of the header's list that is none of `proxies`, for
// what stands before that is whatever the caller wrote. `x_forwarded_for` and `forwarded` are the
// values of all such headers, joined by commas. Empty when they name nobody, or when both are there
// and differ: then one of them is the caller's own.
std::string ForwardedClient(std::string_view x_forwarded_for, std::string_view forwarded,
                            const std::vector<std::string>& proxies);

// An IP address in its one written form, "::ffff:192.0.2.1" as "192.0.2.1"; empty: it is none.
std::string PlainAddress(std::string_view address);

}  // namespace ferry::net
