package node

import (
	"time"

	"github.com/contiv/contiv/daemon/agent/inspect"
	"github.com/contiv/contiv/daemon/agent/observe"
	"github.com/contiv/contiv/daemon/task"
)

// newObserver makes what observes connections.
func (n *Node) newObserver() *observe.Observer {
	return observe.New(observe.Options{Host: n.Host, Socket: ManagementSocket(n.OVSRunDir), Pipeline: n.flows, View: n.forward.View, Revision: n.forward.Revision,
		Called: n.containerName, Rule: inspect.Called, Datapath: n.sw.DatapathType, Control: n.control, Now: time.Now, Log: n.Log})
}

// observing are the tasks of observing connections.
func (n *Node) observing() []task.Task {
	if n.observer == nil {
		return nil
	}
	return []task.Task{n.afterSync("observed connections", n.observer.Run)}
}

// containerName is what the runtime calls an endpoint's container, or its pod, as "namespace/pod"; "" when that is not known.
func (n *Node) containerName(endpoint string) string {
	e, _ := n.desired.Endpoint(endpoint)
	if pod := e.Pod.ID; !pod.IsZero() {
		return pod.Namespace + "/" + pod.Name
	}
	return e.CommonName
}
