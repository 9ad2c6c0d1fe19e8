// Writes a file so that it is never seen half written.
//
// The content goes to a new file in the same folder, is flushed to the disk, and takes the target's name in
// one step. Whatever goes wrong (no such folder, no permission, a full disk, a file size limit) ends in
// Error(io), the target is as it was before, and the new file is gone. A target that is not a regular file (a
// device, a pipe) is written to directly: there is nothing to replace.
#pragma once

#include <string>
#include <string_view>

namespace tideline {

void write_file(const std::string& path, std::string_view content);

/// Throws Error(io) when write_file could not even begin: for a check before hours of work, not after.
void require_writable(const std::string& path);

}  // namespace tideline
