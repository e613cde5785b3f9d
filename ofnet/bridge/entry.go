package bridge

// entry is one place in the switch: what should be there, and what is.
type entry[K, V comparable] struct {
	next    *entry[K, V] // in its chain of the table
	key     K
	desired V
	other   *V          // what the switch has there, if that is not what is desired: nearly always it is
	owner   *ownerState // who wants it; nil when no one does
	hash    uint32      // of the key
	there   bool        // the switch has something
	dirty   bool        // want and have are to be compared
	listed  bool        // it is in the table's list of dirty entries
	seen    bool        // of the comparison or the replacement in progress
}

// wanted says that someone wants the place.
func (c *entry[K, V]) wanted() bool { return c.owner != nil }

// actual is what the switch has, the zero value when that is nothing.
func (c *entry[K, V]) actual() (v V) {
	switch {
	case c.other != nil:
		return *c.other
	case c.there:
		return c.desired
	}
	return v
}

// differs says that the switch does not have what it should.
func (c *entry[K, V]) differs() bool { return c.wanted() != c.there || c.other != nil }

// want gives the place to an owner; nil: no one wants it, and v is the zero value.
func (c *entry[K, V]) want(owner *ownerState, v V) {
	was := c.actual()
	c.owner, c.desired = owner, v
	c.have(was, c.there)
}

// have says what the switch has; there: that it has something.
func (c *entry[K, V]) have(v V, there bool) {
	c.there, c.other = there, nil
	if there && v != c.desired {
		other := v
		c.other = &other
	}
}
