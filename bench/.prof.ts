import { Resident } from '/work/main/src/vector/resident.ts'
import { queryOf } from '/work/main/src/vector/metric.ts'
const D=384, N=10000
const r=new Resident('cosine',D)
for(let i=0;i<N;i++) r.set(i+1, Float32Array.from({length:D},()=>Math.random()-0.5))
const q=queryOf('cosine',Float32Array.from({length:D},()=>Math.random()-0.5))
const ts=[]
for(let i=0;i<60;i++){const t=performance.now(); await r.nearest(q,10,async()=>{}); ts.push(performance.now()-t)}
ts.sort((a,b)=>a-b); console.log('p10',ts[6],'p50',ts[30])
const flat=new Float32Array(N*D).map(()=>Math.random()); 
const v=q.vector
const t2=[]
for(let k=0;k<60;k++){const t=performance.now(); let best=0; for(let r=0;r<N;r++){let s0=0,s1=0,s2=0,s3=0;const o=r*D;for(let i=0;i<D;i+=4){s0+=v[i]*flat[o+i];s1+=v[i+1]*flat[o+i+1];s2+=v[i+2]*flat[o+i+2];s3+=v[i+3]*flat[o+i+3]} if(s0+s1+s2+s3>best)best=s0+s1+s2+s3} t2.push(performance.now()-t)}
t2.sort((a,b)=>a-b); console.log('plain p10',t2[6],'p50',t2[30])
