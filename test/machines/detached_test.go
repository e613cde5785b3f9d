// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/test/machines/machine"
)

// silence is how long a machine that runs a detached command may not answer: a machine stands still while this machine writes its disk.
const silence = 5 * time.Minute

// detached runs a long command on a machine, apart from any connection: a connection that ends does not end the command. It writes what the
// command prints to out, and blocks until the command ends.
func detached(t *testing.T, m *machine.Machine, shell string, out io.Writer) error {
	t.Helper()
	dir := run(t, m, "mktemp -d /var/tmp/detached.XXXXXX")
	if err := m.Feed(t.Context(), strings.NewReader(shell), "cat >"+dir+"/command"); err != nil {
		return err
	}
	run(t, m, fmt.Sprintf("setsid sh -c 'sh %[1]s/command >%[1]s/out 2>&1; echo $? >%[1]s/new; mv %[1]s/new %[1]s/status' </dev/null >/dev/null 2>&1 &", dir))
	printed, answered := 0, time.Now()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			return t.Context().Err()
		}
		status, more, err := glance(t.Context(), m, dir, printed)
		if err != nil {
			if time.Since(answered) > silence {
				return fmt.Errorf("no answer for %s: %w", silence, err)
			}
			_, _ = fmt.Fprintf(out, "after %s without an answer: %v\n", time.Since(answered).Round(time.Second), err)
			continue
		}
		answered = time.Now()
		printed += len(more)
		if _, err := io.WriteString(out, more); err != nil {
			return err
		}
		switch status {
		case "":
		case "0":
			return nil
		default:
			return fmt.Errorf("exit status %s of %s", status, shell)
		}
	}
}

// glance returns the exit status of a detached command, empty while it runs, and what it has printed since. It reads the status first, so
// that nothing of a command that has ended is missing.
func glance(ctx context.Context, m *machine.Machine, dir string, printed int) (status, more string, err error) {
	cmd := m.Command(ctx, fmt.Sprintf(`echo "$(cat %[1]s/status 2>/dev/null)"; tail -c +%[2]d %[1]s/out`, dir, printed+1))
	text, err := cmd.Output()
	if err != nil {
		return "", "", fmt.Errorf("%s: ssh: %w", m.Name, err)
	}
	status, more, _ = strings.Cut(string(text), "\n")
	return status, more, nil
}
