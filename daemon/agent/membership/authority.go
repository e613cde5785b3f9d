// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/trust"
)

// Times of following the cluster's authorities.
const (
	authorityInterval = 15 * time.Second // between two netmasters that are asked
	authorityTimeout  = 5 * time.Second  // of a request
	renewalInterval   = time.Minute      // between two requests for a certificate of the authority that signs
)

// Proves returns the fingerprints of the authorities that the agent trusts, and of the one that has certified it.
func (m *Membership) Proves() (authorities []string, authority string) {
	if m.Trust == nil {
		return nil, ""
	}
	return trust.Fingerprints(m.Trust.Trusted()), m.Trust.Signer()
}

// followAuthorities asks one netmaster after the other which authorities the cluster has, until ctx ends.
func (m *Membership) followAuthorities(ctx context.Context) {
	pause, renewed := rand.N(authorityInterval), time.Time{} // so that not all agents ask together
	for turn := 0; ; turn++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = authorityInterval
		all := m.Netmasters.All(ctx)
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		url := all[turn%len(all)]
		var sent model.Authorities
		limited, cancel := context.WithTimeout(ctx, authorityTimeout)
		err := (&client.Client{Base: url, HTTP: m.once(), Program: "netplugin"}).Raw(limited, channel.AuthorityPath, &sent)
		cancel()
		if err != nil { // it is away, or of an earlier build
			m.Log.Debug("netmaster did not report its trusted authorities", "address", url, "error", err)
			continue
		}
		due, err := m.obey(&sent)
		if err == nil && due && time.Since(renewed) >= renewalInterval {
			renewed = time.Now()
			if err = m.Trust.RenewNow(ctx, m.renewed); err == nil {
				m.Log.Info("certificate renewed", "identity", m.Trust.Identity().String(), "until", m.Trust.Certificate().NotAfter)
			}
		}
		if err != nil && ctx.Err() == nil {
			m.Log.Warn("cannot read the cluster's authorities; retrying", "address", url, "error", err)
		}
	}
}

// obey trusts the authorities that a netmaster has sent, and reports whether the agent needs a certificate of the one that signs.
func (m *Membership) obey(sent *model.Authorities) (due bool, err error) {
	changed, err := m.Trust.Adopt([]byte(sent.Certificates))
	if err != nil {
		return false, err
	}
	has, signer := m.Proves()
	if changed {
		m.Log.Info("trusted authorities changed", "authorities", fmt.Sprint(has))
	}
	return sent.Signs != "" && sent.Signs != signer && slices.Contains(has, sent.Signs), nil
}
