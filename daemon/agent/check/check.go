// SPDX-License-Identifier: Apache-2.0

// Package check has an agent look at its host by itself: each check at its own pace, and all of them at once when someone asks.
package check

import (
	"context"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Check is one thing that an agent looks at on its host.
type Check struct {
	Name     string        // "containers", "tunnels", ...
	Interval time.Duration // between two runs
	// Look blocks at most until ctx ends; for what it cannot determine it returns a finding of severity unknown. It sets all fields
	// except Host and Since.
	Look func(ctx context.Context) []model.Finding
	// Asked is Look for those who ask now: it may cost more than what is done all the time. nil: Look.
	Asked func(ctx context.Context) []model.Finding
}

// asked is what the check does when someone asks.
func (c *Check) asked() func(ctx context.Context) []model.Finding {
	if c.Asked != nil {
		return c.Asked
	}
	return c.Look
}

// identity identifies a finding.
type identity struct {
	code         model.FindingCode
	host, object string
}

func identityOf(f *model.Finding) identity { return identity{f.Code, f.Host, f.Object} }
