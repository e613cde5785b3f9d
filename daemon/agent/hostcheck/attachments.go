// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"fmt"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/check"
)

// Attachments looks at what containers were refused within the last hour.
type Attachments struct {
	Failures func() []attach.Failure
}

// Check looks every five seconds.
func (a *Attachments) Check() check.Check {
	return check.Check{Name: "attachments", Interval: 5 * time.Second, Look: a.look}
}

func (a *Attachments) look(context.Context) (out []model.Finding) {
	for _, f := range a.Failures() {
		out = append(out, model.Finding{Code: model.FindingAttachFailed, Severity: model.SeverityWarning, Object: f.Container,
			Evidence: fmt.Sprintf("it got no interface (tries: %d, the last at %s): %s", f.Tries, f.At.UTC().Format(time.RFC3339), f.Reason),
			Remedy:   "resolve the error; the runtime retries, or restart the container; the finding ends a minute after the runtime has detached the container, or after an hour without another attempt", Next: "netctl endpoint ls"})
	}
	return out
}
