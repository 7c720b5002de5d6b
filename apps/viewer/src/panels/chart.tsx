// A line chart that lives as long as its panel does.
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";

const AXIS = { stroke: "#8b98a9", grid: { stroke: "#222b36", width: 1 }, ticks: { stroke: "#222b36" }, font: "10px system-ui" };

export function Chart(props: { x: number[]; y: number[]; label: string; unit: string; height?: number }): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  useEffect(() => {
    const element = root.current!;
    const made = new UPlot(
      {
        width: Math.max(120, element.clientWidth),
        height: props.height ?? 130,
        legend: { show: false },
        cursor: { y: false },
        scales: { x: { time: false } },
        axes: [AXIS, { ...AXIS, size: 58, values: (_plot, ticks) => ticks.map((each) => `${each}${props.unit}`) }],
        series: [{}, { stroke: "#6cb6ff", fill: "#6cb6ff22", width: 1.5, points: { show: false } }],
      },
      [props.x, props.y],
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: Math.max(120, element.clientWidth), height: props.height ?? 130 }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData([props.x, props.y]), [props.x, props.y]);
  return <div class="chart" ref={root} role="img" aria-label={props.label} />;
}
