// SPDX-License-Identifier: Apache-2.0

package bridge

// entry is one place in the switch, with its desired and its actual content.
type entry[K, V comparable] struct {
	next    *entry[K, V] // in its chain of the table
	key     K
	desired V
	other   *V          // the switch's content if it is not the desired one, which is rare
	owner   *ownerState // the owner that wants it; nil: none
	hash    uint32      // of the key
	there   bool        // the switch has content here
	dirty   bool        // desired and actual content must be compared
	listed  bool        // it is in the table's list of dirty entries
	seen    bool        // by the comparison or the replacement in progress
}

// wanted reports whether an owner wants the place.
func (c *entry[K, V]) wanted() bool { return c.owner != nil }

// actual returns the switch's content, or the zero value if there is none.
func (c *entry[K, V]) actual() (v V) {
	switch {
	case c.other != nil:
		return *c.other
	case c.there:
		return c.desired
	}
	return v
}

// differs reports whether the switch's content is not the desired one.
func (c *entry[K, V]) differs() bool { return c.wanted() != c.there || c.other != nil }

// want gives the place to an owner; nil: no owner wants it, and v is the zero value.
func (c *entry[K, V]) want(owner *ownerState, v V) {
	was := c.actual()
	c.owner, c.desired = owner, v
	c.have(was, c.there)
}

// have records the switch's content; there reports whether it has any.
func (c *entry[K, V]) have(v V, there bool) {
	c.there, c.other = there, nil
	if there && v != c.desired {
		other := v
		c.other = &other
	}
}
