// Models made of .aut files: one LTS alone, or several that synchronise as a .net file says.
//
//     # A producer, a consumer, and a buffer between them.
//     component P "producer.aut"
//     component B "buffer.aut" minimised
//     component C "consumer.aut"
//     sync "put"  = P "put", B "in"
//     sync "take" = B "out", C "take"
//     hide "put"
//
// Instead of vectors a line `parallel` synchronises all components on the labels they share. With vectors,
// only they and the internal actions of the components can happen. File names are relative to the .net file.
#pragma once

#include "lang/lang.hpp"
#include "model/system.hpp"

namespace tideline::lts {

/// The LTS of an .aut file as a system of one component, which has the name of the file. Throws Error(input).
System read_aut_model(const SourceText& source, const LoadOptions& options);

/// A .net file. Throws Error (input, also for the files it names; io).
System read_net_model(const SourceText& source, const LoadOptions& options);

}  // namespace tideline::lts
