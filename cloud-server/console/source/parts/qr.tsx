// A QR code, drawn as one path. Its code comes when it is first needed.
import {useEffect, useState} from 'preact/hooks';

const EDGE = 4;  // light modules around the code, as readers need them

export function QrCode({text, label}: {text: string; label: string}) {
  const [drawn, setDrawn] = useState<{size: number; path: string}>();
  useEffect(() => {
    void import('qrcode-generator').then(({default: make}) => {
      const code = make(0, 'M');
      code.addData(text);
      code.make();
      const size = code.getModuleCount();
      let path = '';
      for (let y = 0; y < size; y += 1) for (let x = 0; x < size; x += 1) if (code.isDark(y, x)) path += `M${x + EDGE} ${y + EDGE}h1v1h-1z`;
      setDrawn({size, path});
    });
  }, [text]);
  const edge = (drawn?.size ?? 41) + 2 * EDGE;
  return <svg class="qr" viewBox={`0 0 ${edge} ${edge}`} role="img" aria-label={label}><path class="light" d={`M0 0h${edge}v${edge}h-${edge}z`} /><path class="dark" d={drawn?.path ?? ''} /></svg>;
}
