// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// Maximum delays of an engine that starts or stops without an agent or a netmaster. Without the proxy a start takes 45 seconds more.
const heldUp = 8 * time.Second

// An engine starts and stops within its usual time while the agent or netmasters are away, and says at once why a container cannot be
// started; when they are back containers start, and nothing is left of those that Docker has deleted meanwhile.
func TestAway(t *testing.T) {
	c := start(t, lab.Plan{Name: "dkaway"})
	c.must("network", "create", "--subnet", "10.1.1.0/24", "--gateway", "10.1.1.254", "blue")
	c.hosted("blue")
	peer := c.run("h2", "peer", "blue")
	for _, name := range []string{"one", "two"} {
		c.run("h1", name, "blue", "--restart", "always", "--stop-timeout", "1", "-p", map[string]string{"one": "8081", "two": "8082"}[name]+":8000")
	}
	var usual struct{ stop, start time.Duration }
	for _, row := range []struct {
		name, host, part string
		why              string // a container cannot be started
	}{
		{"nothing", "", "", ""},
		{"the agent", "h1", lab.PartAgent, "contiv agent is not running"},
		{"netmaster", "h1", lab.PartMaster, "is netmaster running"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := c.at(t)
			if row.part != "" {
				if err := c.Kill(row.host, row.part); err != nil {
					t.Fatal(err)
				}
				c.refused(row.why, "h1", "run", "--name", "late", "--network", "blue", lab.Image) // once the agent's return is not waited for any more
				began := time.Now()
				c.refused(row.why, "h1", "start", "late")
				if took := time.Since(began); took > heldUp {
					t.Errorf("refused after %s", took)
				}
				c.docker("h1", "rm", "late")
			}
			stop := timed(t, func() error { return c.Stop("h1", lab.PartDocker) })
			start := timed(t, func() error { return c.Start(t.Context(), "h1", lab.PartDocker) })
			t.Logf("stop %s, start %s", stop, start)
			if row.part == "" {
				usual.stop, usual.start = stop, start
			} else if err := c.Start(t.Context(), row.host, row.part); err != nil {
				t.Fatal(err)
			}
			if stop > usual.stop+heldUp || start > usual.start+heldUp {
				t.Errorf("it stops in %s, usually in %s, and starts in %s, usually in %s", stop, usual.stop, start, usual.start)
			}
			for _, name := range []string{"one", "two"} { // those that Docker could not start by their policy
				within(t, 20*time.Second, func() error {
					out, err := on(t, c.Lab, "h1", "docker", "start", name)
					if err != nil {
						return fmt.Errorf("start %s: %w: %s", name, err, out)
					}
					return nil
				})
				c.reaches(true, "h1", name, peer)
			}
		})
	}
	began := time.Now()
	c.only("peer", "one", "two")
	t.Logf("as it should be %s after the last", time.Since(began).Round(100*time.Millisecond))
	c.docker("h1", "rm", "-f", "one", "two")
	c.docker("h2", "rm", "-f", "peer")
	c.only()
}

// timed does something and reports how long it took.
func timed(t *testing.T, do func() error) time.Duration {
	t.Helper()
	began := time.Now()
	if err := do(); err != nil {
		t.Fatal(err)
	}
	return time.Since(began).Round(10 * time.Millisecond)
}
