// The two ways to write many rows. Private to sql/.
#pragma once

#include <memory>

#include "cloud-server/store/sql/connection.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

// By the calls of one row; `tx` must outlive it.
std::unique_ptr<BatchRepository> MakeBatchesOfCalls(Transaction& tx);
// By lists, on PostgreSQL.
std::unique_ptr<BatchRepository> MakeBatchesOfLists(Connection& sql);

// lists_read.cc, of the second.
Result<DeviceRows> ReadDevices(Connection& sql, const std::set<std::string>& ids);
Result<std::vector<MemberRow>> ReadMembers(Connection& sql, const std::string& release,
                                           const std::set<std::string>& devices);
Result<std::map<std::string, AssignmentRow>> ReadAssignments(Connection& sql,
                                                             const std::set<std::string>& devices);
// lists_devices.cc. No device twice.
Status WriteDevices(Connection& sql, const std::vector<const DeviceRow*>& rows);
// lists.cc. As ReleaseRepository::AddTallies.
Status AddTalliesByLists(Connection& sql, const Tallies& increments);

}  // namespace ferry::server
