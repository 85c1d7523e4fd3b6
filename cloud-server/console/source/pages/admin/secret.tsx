// A secret that is shown once.
import {Copy} from '../../parts/text';

export const Secret = ({what, text}: {what: string; text: string}) => (
  <div class="note" data-tone="wait">
    <p>{what}, shown this once:</p>
    <p class="secret"><code id="secret">{text}</code><Copy text={text} what={what.toLowerCase()} /></p>
  </div>
);
