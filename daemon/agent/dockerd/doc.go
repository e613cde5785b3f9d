// Package dockerd is what the agent learns from its host's Docker engine, and tells it, on its own time: who the containers of
// endpoints are, that the engine's networks are those of the cluster, and which endpoints the engine no longer has.
//
// Docker may be waiting for the agent whenever the agent asks it something, so every request has a deadline and no door of the
// agent waits for one. What the engine says is taken as levels: events only say where to look again, and after a gap everything
// is listed again. An engine that is away leaves what was known of it; nothing follows from its silence.
package dockerd
