package main

import "github.com/contiv/contiv/daemon/agent/node"

// engine says which Docker engine the agent asks: that of its host, where containers are Docker's. Its networks are the cluster's but
// for those of a swarm, which its managers make.
func (o *options) engine() node.DockerEngine {
	if o.Mode != "docker" && o.Mode != "swarm-mode" {
		return node.DockerEngine{}
	}
	return node.DockerEngine{Socket: o.Engine, Driver: o.Plugin, Keep: o.Mode == "docker"}
}
