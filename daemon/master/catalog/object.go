package catalog

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/ipam/tag"
)

func (v *View) putObject(it store.Item) error {
	kindName, objectKey, ok := strings.Cut(strings.TrimPrefix(it.Key, record.Objects), "/")
	if !ok {
		return fmt.Errorf("an object's key is kind/key")
	}
	k, ok := model.KindOf(kindName)
	if !ok || k.New == nil {
		return fmt.Errorf("kind %q is unknown", kindName)
	}
	object := k.New()
	if err := json.Unmarshal(it.Value, object); err != nil {
		return err
	}
	object.SetKey(objectKey)
	v.dropObject(it.Key)
	e := &entry{object: object, refs: refsOf(object)}
	if v.objects[k.Name] == nil {
		v.objects[k.Name] = map[string]*entry{}
	}
	v.objects[k.Name][objectKey] = e
	for _, r := range e.refs {
		v.refer(r, k.Name, objectKey)
	}
	v.touch(k.Name, objectKey)
	if g, ok := object.(*model.Global); ok {
		return v.resize(g)
	}
	return nil
}

func (v *View) dropObject(key string) {
	kindName, objectKey, _ := strings.Cut(strings.TrimPrefix(key, record.Objects), "/")
	e := v.objects[kindName][objectKey]
	if e == nil {
		return
	}
	delete(v.objects[kindName], objectKey)
	for _, r := range e.refs {
		delete(v.referrers[r.Kind+"/"+r.Key][kindName], objectKey)
		v.touch(r.Kind, r.Key)
	}
	v.touch(kindName, objectKey)
}

// resize sets the ranges of VLAN ids and VNIs. Numbers in use outside the new range stay in use.
func (v *View) resize(g *model.Global) error {
	for _, p := range []struct {
		pool *tag.Pool
		text string
	}{{v.numbers.VLANs, g.Vlans}, {v.numbers.VXLANs, g.Vxlans}} {
		r, err := tag.ParseRange(p.text)
		if err != nil {
			return err
		}
		if err := p.pool.Resize(r.Min, r.Max); err != nil {
			return err
		}
	}
	return nil
}
