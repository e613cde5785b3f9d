// SPDX-License-Identifier: Apache-2.0

package page

import "github.com/contiv/contiv/api/model"

// Found makes the page of a result of the search.
func Found(f *model.Found) *Page {
	k, ok := model.KindOf(f.Kind)
	if !ok { // a host
		return Host(f.Key)
	}
	return openObject(k, f.Key, "")
}
