// SPDX-License-Identifier: Apache-2.0

package sanitize

import "reflect"

// Fields makes each text within a value a Line of at most a number of bytes: fields, elements, and keys and values of maps. v points to the
// value. In types outside of the value's own packages, such as addresses and times, it only reads exported fields.
func Fields(v any, most int) { clean(reflect.ValueOf(v).Elem(), most) }

func clean(v reflect.Value, most int) {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); v.CanSet() {
			if short := Line(text, most); short != text {
				v.SetString(short)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			clean(v.Elem(), most)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				clean(v.Field(i), most)
			}
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k >= reflect.Bool && k <= reflect.Complex128 {
			return
		}
		for i := range v.Len() {
			clean(v.Index(i), most)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			k.Set(key)
			e.Set(v.MapIndex(key))
			clean(k, most)
			clean(e, most)
			if k.Comparable() && e.Comparable() && k.Equal(key) && e.Equal(v.MapIndex(key)) {
				continue
			}
			v.SetMapIndex(key, reflect.Value{})
			v.SetMapIndex(k, e)
		}
	}
}
