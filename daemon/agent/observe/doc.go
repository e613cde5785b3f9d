// Package observe keeps a log of a host's connections: first packets that rules refuse or no flow takes, which the switch hands over, and
// connections that its tracker has begun or ended to know. The log is a ring in memory, read by whoever asks.
package observe
