package stratified

import (
	"context"
	"fmt"
	"testing"
)

func TestMostX(t *testing.T) {
	d, err := New(context.Background(), Question{Scenarios: 20})
	if err != nil { t.Fatal(err) }
	f := d.floors[0].(*floorTest)
	fmt.Println(d.MostTrials(), d.Promise(), f.most(), f.boundaries)
	for _, r := range []float64{1,.95,.9,.8} {
		x := make([]float64,20); for i := range x { x[i]=r }
		c, _ := d.At(x,nil); fmt.Println(r, c.Trials)
	}
	x := make([]float64,20); for i := range x { x[i]=.97 }; x[0]=.3
	c, _ := d.Simulate(context.Background(), x, nil, 2000, 1); fmt.Println(c)
	x[0]=.5
	c, _ = d.Simulate(context.Background(), x, nil, 2000, 1); fmt.Println(c)
}
