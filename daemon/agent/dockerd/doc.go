// SPDX-License-Identifier: Apache-2.0

// Package dockerd synchronizes the agent with its host's Docker engine, in the background: it learns the containers of endpoints, keeps the
// engine's networks equal to the cluster's, and finds endpoints that the engine no longer has.
//
// Docker may be waiting for the agent whenever the agent sends it a request, so every request has a deadline and no handler of the agent
// waits for one. The engine's answers are used as state: events only trigger a new read, and after a gap everything is listed again. While
// an engine is away its last known state is kept; nothing follows from its silence.
package dockerd
