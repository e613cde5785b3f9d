// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/member"
	"github.com/contiv/contiv/trust"
)

// Lost returns the evidence that a netmaster's member, whose disk is reported lost, does not run. It refuses if the member answers, and
// without force also if the member's state is unknown. It blocks until the member has answered, for a few seconds at most. Errors are
// *model.Error.
func (e *Enroller) Lost(ctx context.Context, name string, force bool) (evidence string, err error) {
	if e.Members == nil {
		return "", model.Errorf(model.CodeUnsupported, "lost", "the cluster's store is beside its netmasters, and no netmaster has a part of it").
			Try("have the host join again: contiv token create --master --replace %s", name)
	}
	who := trust.Identity{Role: trust.Master, Name: name}
	certified, registered := false, ""
	e.Catalog.View(func(v *catalog.View) {
		certified = len(v.CertifiedAs(who.String())) > 0
		for _, m := range v.Services(record.ServiceMaster) {
			if e.certifiedAt(v, name, m.HostAddr) {
				registered = m.HostAddr
			}
		}
	})
	p := e.Members.Presence(ctx, name)
	switch {
	case p.State == member.Absent && !certified:
		return "", model.Errorf(model.CodeNotFound, "master", "no netmaster is called %s", name).Try("netctl leader shows the members of the store")
	case registered != "":
		return "", model.Errorf(model.CodeInUse, "master", "the netmaster of %s runs at %s, with its part of the store", name, registered).
			Try("if its disk is lost, stop it and repeat this 10 seconds later; contiv leave on that host takes it out of the cluster")
	case p.State == member.Runs:
		return "", model.Errorf(model.CodeInUse, "master", "member %s of the store runs: %s", name, p.Evidence).
			Try("if its disk is lost, stop netmaster on that host; contiv leave on that host takes it out of the cluster")
	case p.State == member.Unknown && !force:
		return "", model.Errorf(model.CodeNotReady, "master", "nothing says that member %s of the store does not run: %s", name, p.Evidence).
			Try("bring its host up, whose answer decides; or, when its disk is lost for certain, repeat the command with --force")
	}
	return p.Evidence, nil
}
