// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/identity"
)

// subject returns a function that reports whether a finding is about the object that text names: a host, an endpoint by its id, container or address, or a
// service with its providers. It returns nil for "", that is, for all findings.
func (d *Doctor) subject(text string) (about func(f *model.Finding) bool, err error) {
	if text == "" {
		return nil, nil
	}
	objects := map[string]bool{}
	d.Catalog.View(func(v *catalog.View) {
		for _, h := range v.Hosts() {
			if h.Label == text {
				objects["host/"+text] = true
			}
		}
		if e := v.FindEndpoint(text); e != nil {
			objects["endpoint/"+e.ID.String()] = true
		}
		for _, s := range allServices(v) {
			if name := s.ID.String(); identity.Ends(name, text) {
				objects["service/"+name] = true
				for _, e := range v.ProvidersOf(s) {
					objects["endpoint/"+e.ID.String()] = true
				}
			}
		}
	})
	if len(objects) == 0 {
		return nil, model.Errorf(model.CodeNotFound, "of", "there is no host, endpoint or service %q", text).Try("netctl node ls, netctl get endpoints and netctl get services name them")
	}
	return func(f *model.Finding) bool { return objects[f.Object] || objects["host/"+f.Host] }, nil
}
