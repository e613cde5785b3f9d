// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"

	"github.com/contiv/contiv/lab"
)

// demoDocker runs a container in the engine of a host, in a group with one that the CNI plugin has connected: one policy applies to both.
func demoDocker(ctx context.Context, w *where, l *lab.Lab) (wrong int, err error) {
	c, err := l.Attach(ctx, lab.Container{Name: "desk", Host: "h3", Tenant: "default", Network: "blue", Group: "front", Docker: true})
	if err != nil {
		return 0, fmt.Errorf("run desk in Docker: %w", err)
	}
	ip, err := c.IPv(4)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(w.s.Out, "\nA container of Docker in the group front: docker run --network front, on h3, as desk, %s. The same policy holds for it:\n", ip)
	return demoConnections(ctx, w, []connection{
		{"desk", "web", "80", "front has no policy, and web is of CNI", true},
		{"desk", "db", "5432", "rule 2 allows port 5432 from front", true},
		{"desk", "db", "80", "rule 1 denies all other tcp", false},
	})
}
