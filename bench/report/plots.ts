// Results of a run -> plots as SVG.
import { init, use, type EChartsCoreOption } from 'echarts/core';
import { BarChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
import type { Results } from '../results.js';
import { medianOf } from './ratios.js';

use([BarChart, ScatterChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

/** Of Okabe and Ito, which people who do not see all colours can tell apart, and a form for each. */
const looks: Readonly<Record<string, { readonly color: string; readonly symbol: string }>> = {
  evalstore: { color: '#d55e00', symbol: 'diamond' },
  limit: { color: '#555555', symbol: 'rect' },
  'duckdb-json': { color: '#e69f00', symbol: 'triangle' },
  clickhouse: { color: '#0072b2', symbol: 'circle' },
  postgres: { color: '#009e73', symbol: 'roundRect' },
};

const width = 940;
const rowHeight = 30;
const frame = { left: 410, right: 40, top: 70, bottom: 50 };

function draw(rows: number, option: EChartsCoreOption): string {
  const height = frame.top + frame.bottom + rows * rowHeight;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption({ animation: false, backgroundColor: '#ffffff', grid: frame, ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

const categories = (titles: readonly string[]) => ({
  type: 'category',
  inverse: true,
  data: titles,
  axisLabel: { width: frame.left - 20, overflow: 'truncate', interval: 0 },
  splitLine: { show: true, lineStyle: { color: '#eeeeee' } },
  axisTick: { show: false },
});

/** The median of each question, one mark for each contender. */
export function timesPlot(results: Results): string {
  const { questions, contenders, events } = results;
  return draw(questions.length, {
    title: { text: `Milliseconds per question, ${events.toLocaleString('en-US')} events` },
    legend: { top: 34, itemGap: 28 },
    xAxis: { type: 'log', name: 'ms', splitLine: { lineStyle: { color: '#dddddd' } } },
    yAxis: categories(questions.map(({ title }) => title)),
    series: contenders.map(({ name, title }) => ({
      type: 'scatter',
      name: title,
      symbol: looks[name]!.symbol,
      symbolSize: name === 'evalstore' ? 14 : 10,
      itemStyle: { color: looks[name]!.color },
      data: questions.flatMap(({ name: question }, row) => {
        const time = medianOf(results, name, question);
        return time === null ? [] : [[time, row]];
      }),
    })),
  });
}

/** Events per second of the bulk load, as the clients of each contender see it. */
export function loadPlot({ contenders, events }: Results): string {
  return draw(contenders.length, {
    title: { text: `Bulk load, events per second, ${events.toLocaleString('en-US')} events` },
    xAxis: { type: 'value', splitLine: { lineStyle: { color: '#dddddd' } } },
    yAxis: categories(contenders.map(({ title }) => title)),
    series: [
      {
        type: 'bar',
        barWidth: '60%',
        label: { show: true, position: 'insideRight' },
        data: contenders.map(({ name, insertSeconds }) => ({
          value: Math.round(events / insertSeconds),
          itemStyle: { color: looks[name]!.color },
        })),
      },
    ],
  });
}
