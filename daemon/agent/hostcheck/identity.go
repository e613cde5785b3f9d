// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"fmt"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/channel"
)

// Stores looks at whether netmasters have the store of this host's cluster.
type Stores struct {
	Host   string
	Others func() []channel.Another // netmasters with another one
}

// Check looks every two seconds.
func (s *Stores) Check() check.Check {
	return check.Check{Name: "stores", Interval: 2 * time.Second, Look: s.look}
}

func (s *Stores) look(context.Context) (out []model.Finding) {
	for _, o := range s.Others() {
		out = append(out, model.Finding{Code: model.FindingStoreIsAnother, Severity: model.SeverityError, Object: "host/" + s.Host,
			Evidence: fmt.Sprintf("the netmaster at %s has another store than this host's cluster: incarnation %s, and the host knows %s; forwarding stays as it is, and no container of this host gets an interface from that netmaster",
				o.Master, o.Incarnation, o.Known),
			Remedy: "connect that netmaster to the store of this cluster: mount its directory, or restore a snapshot (docs/how-to/wrong-store.md)", Next: "netctl leader"})
	}
	return out
}
